/** `skein run`: every service is loaded, initialised and started; a start waits for what its dependencies promise. */
import type { Policy } from '../policy.ts';

export const runPolicy: Policy = {
  mode: 'run',
  stage: 'run',
  manager: 'runner',
  phases: [
    { phase: 'load', after: 'same-phase', on: 'all', retryFrom: 'load', retries: 'unlimited' },
    // What a failed Init left behind is unknown, so the service is read afresh.
    { phase: 'init', after: 'same-phase', on: 'all', retryFrom: 'load', retries: 'unlimited' },
    { phase: 'start', after: 'gate', on: 'all', retryFrom: 'start', retries: 'limited' },
  ],
};
