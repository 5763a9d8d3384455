/** Turns what happens in a run into events of its API: `skein events` and every live view read these. */
import { create } from '@bufbuild/protobuf';
import { type Event, EventSchema } from '../gen/skein/control/v1/control_pb.js';
import type { Happening, ProcessEnd, RunEvent, RunState, ServiceState } from '../orchestration/index.ts';
import type { ServiceId } from '../workspace/index.ts';

type Severity = 'info' | 'warning' | 'error';

interface Words {
  readonly service: ServiceId | '';
  readonly phase: string;
  readonly cause: string;
  readonly severity?: Severity;
}

const phaseOfState: Readonly<Record<ServiceState, string>> = {
  pending: 'load',
  loading: 'load',
  initializing: 'init',
  waiting: 'wait',
  starting: 'start',
  running: 'start',
  completed: 'start',
  failed: 'start',
  'crash-looping': 'start',
  stopping: 'stop',
  stopped: 'stop',
  excluded: 'load',
};

/** A fold over a run's events from the first one on: an event carries the state in which it happened. */
export class EventTranslator {
  #runState: RunState = 'starting';
  readonly #states = new Map<ServiceId, ServiceState>();
  readonly #startedAtMs = new Map<ServiceId, number>();

  /** `undefined` for what is no step of the run: measurements. */
  translate({ sequence, timeMs, happening }: RunEvent): Event | undefined {
    this.#fold(happening, timeMs);
    const words = this.#words(happening, timeMs);
    if (words === undefined) return undefined;
    return create(EventSchema, {
      sequence: BigInt(sequence),
      timeUnixMs: BigInt(timeMs),
      service: words.service,
      phase: words.phase,
      state: words.service === '' ? this.#runState : (this.#states.get(words.service) ?? 'pending'),
      cause: words.cause,
      severity: words.severity ?? 'info',
    });
  }

  #fold(happening: Happening, timeMs: number): void {
    if (happening.type === 'run-state') this.#runState = happening.state;
    if (happening.type === 'service-state') this.#states.set(happening.service, happening.state);
    if (happening.type === 'process-started') this.#startedAtMs.set(happening.service, timeMs);
  }

  #words(happening: Happening, timeMs: number): Words | undefined {
    switch (happening.type) {
      case 'run-state': {
        const severity = happening.state === 'failed' ? 'error' : 'info';
        const cause = happening.failure?.message ?? happening.cause;
        return {
          service: '',
          phase: 'run',
          cause,
          severity: happening.state === 'degraded' ? 'warning' : severity,
        };
      }
      case 'service-state': {
        const bad = happening.state === 'failed' || happening.state === 'crash-looping';
        return {
          service: happening.service,
          phase: happening.failure?.phase ?? phaseOfState[happening.state],
          cause: happening.failure?.message ?? happening.cause,
          severity: bad ? 'error' : 'info',
        };
      }
      case 'process-started':
        return {
          service: happening.service,
          phase: 'process',
          cause: started(happening.pid, happening.restart),
        };
      case 'reload':
        return { service: happening.service, phase: 'reload', cause: happening.cause };
      case 'reload-failed':
        return {
          service: happening.service,
          phase: 'reload',
          cause: `${happening.failure.message}; the process of before runs on`,
          severity: 'error',
        };
      case 'process-ended':
        return { service: happening.service, phase: 'process', cause: endWords(happening.end) };
      case 'addresses':
        return {
          service: happening.service,
          phase: 'address',
          cause: happening.addresses
            .map(({ endpoint, address, url }) => `${endpoint} at ${url ?? address}`)
            .join(', '),
        };
      case 'endpoint-readiness':
        return {
          service: happening.service,
          phase: 'endpoint',
          cause: happening.ready
            ? `${happening.endpoint} is ready (${happening.predicate})`
            : `${happening.endpoint} is not ready (${happening.predicate})${because(happening.lastError)}`,
        };
      case 'service-readiness':
        return { service: happening.service, phase: 'ready', cause: this.#readiness(happening, timeMs) };
      case 'warning':
        return {
          service: happening.service ?? '',
          phase: happening.phase,
          cause: happening.message,
          severity: 'warning',
        };
      case 'receipt': {
        const { layers, resources } = happening.receipt;
        return { service: '', phase: 'stop', cause: `${resources.length} stopped in ${layers} layers` };
      }
      case 'joined':
        return {
          service: '',
          phase: 'extend',
          cause: `joined by ${happening.services.map(({ id }) => id).join(', ')}`,
        };
      case 'left':
        return {
          service: '',
          phase: 'withdraw',
          cause: `left by ${happening.services.join(', ')}`,
        };
      case 'resource-use':
        return undefined;
      default:
        return happening satisfies never;
    }
  }

  #readiness({ service, ready }: { service: ServiceId; ready: boolean }, timeMs: number): string {
    const startedAtMs = this.#startedAtMs.get(service);
    if (!ready) return 'not ready any more';
    return startedAtMs === undefined
      ? 'ready'
      : `ready after ${Math.max(0, Math.round(timeMs - startedAtMs))} ms`;
  }
}

function started(pid: number | null, restart: boolean): string {
  return `${restart ? 'started again' : 'started'}${pid === null ? '' : ` as process ${pid}`}`;
}

/** `exited with 3`, `ended by SIGKILL`. */
function endWords(end: ProcessEnd): string {
  return end.kind === 'exited' ? `exited with ${end.code}` : `ended by ${end.signal}`;
}

function because(lastError: string | null): string {
  return lastError === null ? '' : `: ${lastError}`;
}
