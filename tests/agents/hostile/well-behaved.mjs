#!/usr/bin/env node
// Breaks nothing: what the host does with the others must come from what they break.
import { serve } from './speak.mjs';

await serve();
