#!/usr/bin/env node
// Refuses its own host.
import { serve } from './speak.mjs';

await serve({ checksToken: () => false });
