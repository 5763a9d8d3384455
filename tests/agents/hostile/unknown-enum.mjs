#!/usr/bin/env node
// Sends numbers that no enumeration has: in an answer, deep in an answer, and in an event.
import { done, serve } from './speak.mjs';

await serve({
  methods: {
    load: () => ({ status: { state: 42 } }),
    init: () => ({
      status: done,
      networkMappings: [{ endpoint: 'http', instances: [{ access: 77, host: '127.0.0.1', port: 1 }] }],
    }),
    stop: () => ({ status: done, outcome: 9 }),
  },
  streams: {
    watch: (call) => {
      const event = (state) => ({ instance: 'shop/api', event: { case: 'state', value: { state } } });
      call.send({ events: [event(99), event(3)] });
    },
  },
});
