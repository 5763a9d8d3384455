#!/usr/bin/env node
// Reads its line and says nothing.
import { bootstrap, endWithHost } from './speak.mjs';

await bootstrap;
endWithHost();
console.error('thinking about it');
