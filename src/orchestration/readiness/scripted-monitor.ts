/** A monitor of scripted services on a manual clock, for the tests of the monitor. */
import type { SkeinError } from '../../errors/index.ts';
import { ManualClock } from '../manual-clock.ts';
import type { ProbeResult } from './attempt.ts';
import type { ListeningAddress } from './listener-sweep.ts';
import { ReadinessMonitor, type Transition } from './monitor.ts';
import { endpointKey } from './requirements.ts';
import { endpointId, id } from './service-fixture.ts';
import type { ProbeTarget, Watched } from './target.ts';

export const refused: ProbeResult = { ok: false, error: 'connection refused' };
export const accepted: ProbeResult = { ok: true };

export interface SceneOptions {
  /** What a probe finds; `never`: it does not answer. Default: whether the port is in `listening`. */
  readonly answer?: (port: number) => ProbeResult | 'never' | Promise<ProbeResult>;
  readonly table?: 'none' | 'broken' | { readonly costMs: number };
}

/** A monitor of scripted services; port numbers stand for them. */
export class Scene implements Disposable {
  readonly clock: ManualClock = new ManualClock();
  /** Ports that are listened on, as the kernel would show them. */
  readonly listening: Set<number> = new Set();
  /** Of every listening socket. */
  inode = '1';
  readonly probes: { readonly atMs: number; readonly port: number; readonly signal: AbortSignal }[] = [];
  readonly reads: number[] = [];
  readonly transitions: string[] = [];
  /** Probes that gave up, each with the time. */
  readonly exhausted: string[] = [];
  readonly warnings: SkeinError[] = [];
  readonly monitor: ReadinessMonitor;

  constructor({ answer, table = { costMs: 0 } }: SceneOptions = {}) {
    this.monitor = new ReadinessMonitor({
      clock: this.clock,
      probe: async (target, { signal }) => {
        const port = 'port' in target ? target.port : 0;
        this.probes.push({ atMs: this.clock.now(), port, signal });
        const found = answer?.(port) ?? (this.listening.has(port) ? accepted : refused);
        return found === 'never' ? new Promise(() => undefined) : found;
      },
      ...(table !== 'none' && {
        readListeners: async (): Promise<readonly ListeningAddress[]> => {
          this.reads.push(this.clock.now());
          if (table === 'broken') throw new Error('EACCES');
          this.clock.spend(table.costMs);
          return [...this.listening].map((port) => ({ address: '127.0.0.1', port, inode: this.inode }));
        },
      }),
      onTransition: ({ service, from, to }: Transition) => {
        const now = Math.round(this.clock.now());
        const what =
          to.kind === 'failing'
            ? to.lastError
            : to.kind === 'holding' && to.note !== undefined
              ? `holding, ${to.note}`
              : to.kind;
        this.transitions.push(`${now} ${service}: ${from.kind} → ${what}`);
      },
      onExhausted: ({ subject, failures, lastError }) => {
        const now = Math.round(this.clock.now());
        this.exhausted.push(`${now} ${subject.service} ${subject.purpose} ×${failures}: ${lastError}`);
      },
      onWarning: (warning) => void this.warnings.push(warning),
    });
  }

  probesOf(port: number): number[] {
    return this.probes.filter((probe) => probe.port === port).map(({ atMs }) => Math.round(atMs));
  }

  [Symbol.dispose](): void {
    this.monitor[Symbol.dispose]();
  }
}

export function watched(
  name: string,
  port: number,
  options: Partial<Pick<Watched, 'native' | 'purpose' | 'timing'>> & {
    readonly predicate?: 'tcp-connect' | 'grpc-health';
  } = {},
): Watched {
  const { native = true, predicate = 'tcp-connect', purpose = 'readiness', timing = {} } = options;
  const address = { host: '127.0.0.1', port };
  const target: ProbeTarget =
    predicate === 'tcp-connect'
      ? { predicate, ...address }
      : { predicate, ...address, secured: false, services: [] };
  return {
    key: endpointKey(endpointId(name, 'e'), predicate),
    purpose,
    timing,
    service: id(name),
    endpoint: endpointId(name, 'e'),
    target,
    native,
  };
}

/** The distances between successive times. */
export const gaps = (times: readonly number[]): number[] =>
  times.slice(1).map((time, index) => Math.round(time - (times[index] ?? 0)));
