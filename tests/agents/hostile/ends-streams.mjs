#!/usr/bin/env node
// Hands over its streams to their end before it answers Shutdown, as the SDK does; says `ready` on both first.
import { once } from 'node:events';
import { serve } from './speak.mjs';

const open = new Set();
const opens = (message) => (call) => {
  open.add(call);
  call.send(message);
};
await serve({
  streams: {
    watch: opens({ events: [{ instance: 'shop/api', event: { case: 'ready', value: {} } }] }),
    logs: opens({ chunks: [{ instance: 'shop/api', stream: 1, text: 'ready' }] }),
  },
  methods: {
    shutdown: async () => {
      const ends = [...open].map((call) => once(call, 'finish'));
      for (const call of open) call.end();
      await Promise.all(ends);
      // The host reads the ends before the answer, whichever way they went.
      await new Promise((resolve) => setTimeout(resolve, 100));
      setTimeout(() => process.exit(0), 20);
      return {};
    },
  },
});
