#!/usr/bin/env node
// Ends its Watch stream after each event, while it goes on itself.
import { serve } from './speak.mjs';

await serve({
  streams: {
    watch: (call) => {
      call.send({ events: [{ instance: 'shop/api', event: { case: 'ready', value: {} } }] });
      call.end();
    },
  },
});
