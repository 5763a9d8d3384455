#!/usr/bin/env node
// Answers Init with a whole failure and Start with WAITING, and fails without saying why in Stop.
import { serve } from './speak.mjs';

await serve({
  methods: {
    init: () => ({
      status: {
        state: 2,
        message: 'not built',
        failure: {
          code: 'BUILD_FAILED',
          message: 'the build failed',
          retryable: true,
          violations: [{ pointer: '/watch/0', message: 'names no file' }],
          exit: { cause: { case: 'code', value: 2 }, pid: 7 },
          lastLines: ['cc: error', 'make: *** [all] Error 1'],
          causes: [{ code: 'COMPILER', message: 'cc is not installed' }],
          remedy: 'Install a compiler.',
        },
      },
    }),
    start: () => ({ status: { state: 3, message: 'the image is still being pulled' } }),
    stop: () => ({ status: { state: 2 } }),
  },
});
