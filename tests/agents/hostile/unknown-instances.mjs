#!/usr/bin/env node
// Tells news and output of instances that nobody loaded, among those of one that somebody did.
import { serve } from './speak.mjs';

const instances = ['shop/ghost', '', 'shop/api', 'shop/ghost'];
await serve({
  streams: {
    watch: (call) =>
      call.send({
        events: instances.map((instance) => ({ instance, event: { case: 'state', value: { state: 3 } } })),
      }),
    logs: (call) =>
      call.send({ chunks: instances.map((instance) => ({ instance, stream: 1, text: `of ${instance}` })) }),
  },
});
