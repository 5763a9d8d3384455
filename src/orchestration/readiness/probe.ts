/** What every probe promises, and the one that chooses by the predicate. */

import type { ProbeOptions, ProbeResult } from './attempt.ts';
import { type CommandSpawner, commandExits } from './probe-command.ts';
import { grpcHealth } from './probe-grpc.ts';
import { httpStatus } from './probe-http.ts';
import { tcpConnect } from './probe-tcp.ts';
import type { ProbeTarget } from './target.ts';

/** Examines a target once. Never rejects, and leaves no socket, timer or process behind. */
export type Probe = (target: ProbeTarget, options: ProbeOptions) => Promise<ProbeResult>;

/** The real probes; `spawn` runs the declared probe commands. */
export function prober(spawn: CommandSpawner): Probe {
  return (target, options) => {
    switch (target.predicate) {
      case 'tcp-connect':
        return tcpConnect(target.host, target.port, options);
      case 'http-status':
        return httpStatus(target, options);
      case 'grpc-health':
        return grpcHealth(target, options);
      case 'command':
        return commandExits(target, spawn, options);
    }
  };
}
