#!/usr/bin/env node
// Sends output as fast as the stream takes it; Information tells, as its generation, how many chunks were accepted.
import { serve } from './speak.mjs';

let sent = 0n;
await serve({
  streams: {
    logs: (call) => {
      const text = 'x'.repeat(64 * 1024);
      const pump = () => {
        while (!call.cancelled) {
          sent += 1n;
          if (!call.send({ chunks: [{ instance: 'shop/api', stream: 1, text }] }))
            return call.once('drain', pump);
        }
      };
      pump();
    },
  },
  methods: { information: () => ({ state: 3, generation: sent }) },
});
