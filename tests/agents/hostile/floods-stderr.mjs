#!/usr/bin/env node
// Writes megabytes to stderr without one newline, and dies in Load.
import { writeSync } from 'node:fs';
import { serve } from './speak.mjs';

const megabyte = Buffer.alloc(1024 * 1024, 'e');

/** The pipe does not block, so a full one has to be asked again. */
function writeAll(bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(2, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

await serve({
  methods: {
    load: () => {
      for (let round = 0; round < 20; round++) writeAll(megabyte);
      writeAll(Buffer.from('the end'));
      process.exit(9);
    },
  },
});
