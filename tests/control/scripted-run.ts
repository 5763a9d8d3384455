/** A run whose events and output a test dictates; everything asked of it is noted. */
import type {
  Extension,
  Happening,
  LogChunk,
  Receipt,
  Run,
  RunEvent,
  RunSnapshot,
  ServiceSnapshot,
  WhyLink,
} from '../../src/orchestration/index.ts';
import { foldEvents } from '../../src/orchestration/snapshot.ts';
import type { Service, ServiceId, Workspace } from '../../src/workspace/index.ts';

const receipt: Receipt = {
  operation: 'stop',
  layers: 2,
  resources: [
    { id: 'shop/api' as ServiceId, layer: 0, outcome: 'stopped', durationMs: 12, error: null },
    { id: 'shop/db' as ServiceId, layer: 1, outcome: 'forced', durationMs: 5000, error: 'did not end' },
  ],
};

/** `names` of services of a workspace `shop`, each depending on the one before it. */
export function scriptedRun(names: readonly string[], root = '/workspace'): ScriptedRun {
  return new ScriptedRun(names, root);
}

export class ScriptedRun implements Run {
  readonly id = 'run-1';
  readonly mode = 'run';
  readonly workspace: Workspace;
  readonly origin: ServiceId;
  readonly asked: string[] = [];
  readonly ended: Promise<Receipt>;
  whyLinks: readonly WhyLink[] = [];
  /** Thrown by what is asked next. */
  refuses: Error | undefined;
  #snapshot: RunSnapshot;
  readonly #events: RunEvent[] = [];
  readonly #eventListeners = new Set<(event: RunEvent) => void>();
  readonly #logListeners = new Set<(chunk: LogChunk) => void>();
  #end: (receipt: Receipt) => void = () => undefined;

  constructor(names: readonly string[], root: string) {
    const ids = names.map((name) => `shop/${name}` as ServiceId);
    const services = new Map(
      ids.map((id, index) => [id, { id, name: names[index], module: 'shop' } as unknown as Service]),
    );
    this.workspace = { name: 'shop', root, file: `${root}/workspace.skein.yaml`, modules: [], services };
    this.origin = ids[0] as ServiceId;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    this.#snapshot = {
      workspace: 'shop',
      root,
      run: this.id,
      mode: 'run',
      state: 'starting',
      startedAtMs: 1000,
      readyAtMs: null,
      services: new Map(ids.map((id, index) => [id, serviceSnapshot(id, ids.slice(index - 1, index))])),
      pid: 4242,
      sequence: 0,
      failure: null,
      receipt: null,
    };
  }

  happen(happening: Happening, timeMs: number = 1000 + this.#events.length): void {
    const event = { sequence: this.#snapshot.sequence + 1, timeMs, happening };
    this.#events.push(event);
    this.#snapshot = foldEvents(this.#snapshot, [event]);
    for (const listener of this.#eventListeners) listener(event);
  }

  /** The oldest events are not kept any more. */
  forget(count: number): void {
    this.#events.splice(0, count);
  }

  print(chunk: LogChunk): void {
    for (const listener of this.#logListeners) listener(chunk);
  }

  end(): void {
    this.happen({ type: 'receipt', receipt });
    this.#end(receipt);
  }

  snapshot(): RunSnapshot {
    return this.#snapshot;
  }

  onEvent(listener: (event: RunEvent) => void, afterSequence: number = this.#snapshot.sequence): Disposable {
    for (const event of this.#events) if (event.sequence > afterSequence) listener(event);
    this.#eventListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#eventListeners.delete(listener) };
  }

  onLog(listener: (chunk: LogChunk) => void): Disposable {
    this.#logListeners.add(listener);
    return { [Symbol.dispose]: () => void this.#logListeners.delete(listener) };
  }

  get listeners(): number {
    return this.#eventListeners.size;
  }

  waitReady(): Promise<void> {
    return Promise.resolve();
  }

  restart(service: ServiceId): Promise<void> {
    return this.#ask(`restart ${service}`);
  }

  startServices(services: readonly ServiceId[]): Promise<void> {
    return this.#ask(`start ${services.join(' ')}`);
  }

  async extend(names: readonly string[] = []): Promise<Extension> {
    await this.#ask(`extend ${names.join(' ')}`);
    return { joined: ['shop/cache' as ServiceId], left: ['shop/web' as ServiceId], outdated: [], receipt };
  }

  async stopServices(services: readonly ServiceId[], options: { only?: boolean } = {}): Promise<Receipt> {
    await this.#ask(`stop ${services.join(' ')}${options.only ? ' only' : ''}`);
    return receipt;
  }

  async stop(options: { cause?: string; budgetMs?: number } = {}): Promise<Receipt> {
    await this.#ask(`stop all${options.budgetMs === undefined ? '' : ` in ${options.budgetMs} ms`}`);
    this.end();
    return receipt;
  }

  hurry(how: 'hurry' | 'kill'): void {
    this.asked.push(how);
  }

  why(): readonly WhyLink[] {
    return this.whyLinks;
  }

  configuration(): [] {
    return [];
  }

  address(): undefined {
    return undefined;
  }

  async #ask(what: string): Promise<void> {
    this.asked.push(what);
    if (this.refuses !== undefined) throw this.refuses;
  }
}

function serviceSnapshot(id: ServiceId, dependencies: readonly ServiceId[]): ServiceSnapshot {
  return {
    id,
    kind: 'service',
    agent: 'skein/process',
    state: 'pending',
    ready: false,
    pid: null,
    restarts: 0,
    exit: null,
    startedAtMs: null,
    timeToReadyMs: null,
    waitingFor: null,
    endpoints: [],
    dependencies,
    failure: null,
    reloadFailure: null,
    cpuMs: null,
    memoryBytes: null,
  };
}
