#!/usr/bin/env node
/** What `skein` executes. Nothing but this file is loaded before the code cache is on. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';

// Node 22 and later keep compiled code between starts.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

// A run may go on for days: what the start would grow the young generation to (48 MiB) V8 never gives back.
v8.setFlagsFromString('--semi-space-growth-factor=1');

// A start runs much code a few times: optimised as early as V8 would (67,584), that costs the two cores more than it gains.
v8.setFlagsFromString('--interrupt-budget=2000000');

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2), fileURLToPath(import.meta.url));
