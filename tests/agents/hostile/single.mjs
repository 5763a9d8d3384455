#!/usr/bin/env node
// Serves one service a process and has no streams: it is polled. Each Information is one state further.
import { serve } from './speak.mjs';

let asked = 0;
await serve({
  contract: { protocol: 1, capabilities: ['runtime/v1', 'unheard-of/v9'] },
  methods: { information: () => ({ state: ++asked < 2 ? 1 : 3, generation: 1n }) },
});
