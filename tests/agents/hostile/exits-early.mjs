#!/usr/bin/env node
// Ends before its handshake.
import { bootstrap } from './speak.mjs';

await bootstrap;
console.error('no licence found');
process.exit(3);
