#!/usr/bin/env node
// Lets everybody connect.
import { serve } from './speak.mjs';

await serve({ mode: 0o666 });
