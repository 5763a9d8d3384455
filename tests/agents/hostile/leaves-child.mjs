#!/usr/bin/env node
// Leaves a child in its group that holds its pipes open and ignores SIGTERM; `crash` dies in Load.
import { spawn } from 'node:child_process';
import { done, recordPid, serve, variant } from './speak.mjs';

const child = spawn('/bin/sh', ['-c', 'trap "" TERM; while :; do sleep 1000; done'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
recordPid(child.pid);
await serve({ methods: { load: () => (variant === 'crash' ? process.exit(1) : { status: done }) } });
