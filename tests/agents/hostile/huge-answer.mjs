#!/usr/bin/env node
// Answers Load with 100 MB.
import { done, serve } from './speak.mjs';

await serve({ methods: { load: () => ({ status: { ...done, message: 'x'.repeat(100_000_000) } }) } });
