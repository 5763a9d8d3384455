#!/usr/bin/env node
/** What `skein` executes. Nothing but this file is loaded before the code cache is on. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

// Node 22 and later keep compiled code between starts.
(module as { enableCompileCache?: () => void }).enableCompileCache?.();

const { runProgram } = await import('./program.ts');
await runProgram(process.argv.slice(2), fileURLToPath(import.meta.url));
