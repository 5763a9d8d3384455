#!/usr/bin/env node
// Lets everybody call it.
import { serve } from './speak.mjs';

await serve({ checksToken: () => true });
