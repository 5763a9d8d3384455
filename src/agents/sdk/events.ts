/** What happens to the instances, for the Watch streams: each begins with the current state of what it asked for. */
import { create } from '@bufbuild/protobuf';
import type { Failure } from '../../gen/skein/base/v1/status_pb.js';
import {
  DesiredChangeSchema,
  type DesiredState,
  type InstanceEvent,
  InstanceEventSchema,
  type InstanceState,
  ReadyHintSchema,
  StateChangeSchema,
  type WatchResponse,
  WatchResponseSchema,
} from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { Exit } from '../../processes/index.ts';
import { processExit } from './failure.ts';

/** What an event says, before it is known of which instance and when. */
export type Happening =
  | {
      readonly kind: 'state';
      readonly state: InstanceState;
      readonly failure?: Failure;
      readonly exit?: { readonly exit: Exit; readonly pid: number };
    }
  | { readonly kind: 'desired'; readonly desired: DesiredState; readonly cause: string }
  | { readonly kind: 'ready' };

export function instanceEvent(instance: string, generation: number, happening: Happening): InstanceEvent {
  return create(InstanceEventSchema, {
    instance,
    timeUnixMs: BigInt(Date.now()),
    generation: BigInt(generation),
    event: eventOf(happening),
  });
}

export class EventStreams {
  readonly #watchers = new Set<Watcher>();
  #draining = false;

  publish(event: InstanceEvent): void {
    for (const watcher of this.#watchers) watcher.push(event);
  }

  /** Messages for one Watch call, beginning with `present`, until `signal` is aborted, or until `drain`. */
  async *watch(
    instances: ReadonlySet<string>,
    present: readonly InstanceEvent[],
    signal: AbortSignal,
  ): AsyncGenerator<WatchResponse> {
    const watcher = new Watcher(instances);
    for (const event of present) watcher.push(event);
    this.#watchers.add(watcher);
    const leave = (): void => watcher.wake();
    signal.addEventListener('abort', leave, { once: true });
    try {
      while (!signal.aborted) {
        const woken = watcher.woken();
        const events = watcher.take();
        if (events.length > 0) yield create(WatchResponseSchema, { events });
        else if (this.#draining) return;
        else await woken;
      }
    } finally {
      signal.removeEventListener('abort', leave);
      this.#watchers.delete(watcher);
    }
  }

  /** Ends every stream as soon as it has handed over what there is. */
  drain(): void {
    this.#draining = true;
    for (const watcher of this.#watchers) watcher.wake();
  }
}

class Watcher {
  readonly #instances: ReadonlySet<string>;
  #events: InstanceEvent[] = [];
  #wakeUp: () => void = () => undefined;

  constructor(instances: ReadonlySet<string>) {
    this.#instances = instances;
  }

  push(event: InstanceEvent): void {
    if (this.#instances.size > 0 && !this.#instances.has(event.instance)) return;
    this.#events.push(event);
    this.wake();
  }

  take(): InstanceEvent[] {
    return this.#events.splice(0);
  }

  woken(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = resolve;
    });
  }

  wake(): void {
    this.#wakeUp();
  }
}

function eventOf(happening: Happening): InstanceEvent['event'] {
  switch (happening.kind) {
    case 'state': {
      const { state, failure, exit } = happening;
      const value = create(StateChangeSchema, {
        state,
        ...(failure && { failure }),
        ...(exit && { exit: processExit(exit.exit, exit.pid) }),
      });
      return { case: 'state', value };
    }
    case 'desired':
      return {
        case: 'desired',
        value: create(DesiredChangeSchema, { desired: happening.desired, cause: happening.cause }),
      };
    case 'ready':
      return { case: 'ready', value: create(ReadyHintSchema) };
  }
}
