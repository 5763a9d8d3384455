#!/usr/bin/env node
// Neither Shutdown nor SIGTERM nor the end of its life-line moves it.
import { never, serve } from './speak.mjs';

process.on('SIGTERM', () => console.error('SIGTERM? never heard of it'));
process.exit = () => undefined;
setInterval(() => undefined, 1_000);
await serve({ methods: { shutdown: never } });
