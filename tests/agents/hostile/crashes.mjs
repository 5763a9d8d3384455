#!/usr/bin/env node
// Dies in the method that its first argument names, in the middle of the call.
import { serve, variant } from './speak.mjs';

await serve({
  methods: {
    [variant]: () => {
      console.error(`fatal: ${variant} is too much for me`);
      process.exit(70);
    },
  },
});
