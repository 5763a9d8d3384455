#!/usr/bin/env node
// Writes megabytes to stderr without one newline, and dies in Load.
import { writeSync } from 'node:fs';
import { serve } from './speak.mjs';

const megabyte = Buffer.alloc(1024 * 1024, 'e');
function flood() {
  for (let round = 0; round < 20; round++)
    for (let at = 0; at < megabyte.length; ) {
      try {
        at += writeSync(2, megabyte, at);
      } catch (error) {
        if (error.code !== 'EAGAIN') throw error;
      }
    }
}
await serve({
  methods: {
    load: () => {
      flood();
      writeSync(2, 'the end');
      process.exit(9);
    },
  },
});
