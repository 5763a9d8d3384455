#!/usr/bin/env node
// Prints on stdout before and after its handshake: log, which a stray print must not break.
import { serve } from './speak.mjs';

console.log('starting up…');
console.log('{"level":"info","message":"json on stdout"}');
process.stdout.write(Buffer.from([0xff, 0xfe, 0x00, 0x0a]));
await serve();
console.log('after the handshake');
