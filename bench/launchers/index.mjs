// Who takes part in the ready suite. A launcher says how it is started for one chain; how readiness is measured, and how
// everything is ended, is the same for all and lives in harness/.
//
// A launcher: { name, title, peer, rounds?, prepare(chain) → { command, cwd?, env?, stdio?, stopSignal?, needsMiB?, ready } }
//   rounds: a peer takes part in that many first rounds: no target depends on it, and it takes most of the time
//   chain: { size, width, delayMs, firstPort, plan, folder, listener, reports, tools, skeinCli }
//   stopSignal: asks it to stop before it is killed, and what it leaves is noted; needsMiB: free memory that it needs
//   ready(launched): resolves with the time (`performance.now()`) at which all services are ready, in the launcher's own words
//          when it has such words, by the services' reports otherwise.
import { concurrentlyWith } from './concurrently.mjs';
import { limitC } from './limit-c.mjs';
import { limitNode } from './limit-node.mjs';
import { mprocsWith } from './mprocs.mjs';
import { pm2With } from './pm2.mjs';
import { skein } from './skein.mjs';
import { poller, waitOn } from './waiting.mjs';
import { wireit } from './wireit.mjs';

export const launchers = [
  limitC,
  limitNode,
  skein,
  wireit,
  concurrentlyWith(waitOn),
  concurrentlyWith(poller),
  mprocsWith(waitOn),
  mprocsWith(poller),
  pm2With(waitOn),
  pm2With(poller),
];
