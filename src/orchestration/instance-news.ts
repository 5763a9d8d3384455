/**
 * The news of one service's instance, in the order in which they make sense: what an agent says of a process is held
 * until the Start that made the process has answered, and news of an earlier process are dropped. That sources have
 * changed is no news of a process: it is told at once, whichever process runs (F-15).
 */
import type { InstanceEvent } from '../gen/skein/runtime/v1/runtime_pb.js';
import { DesiredState, InstanceState } from '../gen/skein/runtime/v1/runtime_pb.js';
import type { ServiceId } from '../workspace/index.ts';
import type { FailureReport, ProcessEnd } from './events.ts';
import { reportedFailure } from './failure-report.ts';
import { processEnd } from './messages.ts';

/** What there is to know. */
export type NewsItem =
  | { readonly type: 'completed'; readonly end: ProcessEnd | null }
  | { readonly type: 'failed'; readonly report: FailureReport }
  | { readonly type: 'stopped'; readonly end: ProcessEnd | null }
  /** A Start is under way, and the process that it replaces has ended. */
  | { readonly type: 'replaced'; readonly end: ProcessEnd | null }
  /** The agent wants this phase to be gone through again (F-14). */
  | { readonly type: 'desired'; readonly phase: 'load' | 'init' | 'start'; readonly cause: string }
  | { readonly type: 'use'; readonly cpuMs: number; readonly memoryBytes: number }
  | { readonly type: 'ready-hint' };

/** How far the latest Start is. */
type LatestStart =
  /** What is said of its process waits; `replaces`: the generation before, 0 where there is none. */
  | { readonly kind: 'under-way'; readonly replaces: bigint; readonly held: InstanceEvent[] }
  /** News of earlier generations are dropped. */
  | { readonly kind: 'answered'; readonly generation: bigint }
  /** Its process was ended on purpose: how it ended may still be told, and is no failure. */
  | { readonly kind: 'ended'; readonly generation: bigint };

const phases: Readonly<Partial<Record<DesiredState, 'load' | 'init' | 'start'>>> = {
  [DesiredState.LOAD]: 'load',
  [DesiredState.INIT]: 'init',
  [DesiredState.START]: 'start',
};

export class InstanceNews {
  readonly #service: ServiceId;
  readonly #tell: (item: NewsItem) => void;
  #latest: LatestStart = { kind: 'answered', generation: 0n };

  constructor(service: ServiceId, tell: (item: NewsItem) => void) {
    this.#service = service;
    this.#tell = tell;
  }

  /** What ran was told to end, and is gone. */
  ended(): void {
    if (this.#latest.kind === 'answered')
      this.#latest = { kind: 'ended', generation: this.#latest.generation };
  }

  /** A Start begins. */
  starting(): void {
    const replaces = this.#latest.kind === 'under-way' ? this.#latest.replaces : this.#latest.generation;
    this.#latest = { kind: 'under-way', replaces, held: [...this.#held] };
  }

  /** The Start has answered, with the generation of its process; what was held is told now. */
  started(generation: bigint): void {
    const held = this.#held;
    this.#latest = { kind: 'answered', generation };
    for (const event of held) this.take(event);
  }

  /** The Start has failed: what was, or still is to be, said of its process is part of that failure. */
  notStarted(): void {
    let newest = 0n;
    for (const { generation } of this.#held) if (generation > newest) newest = generation;
    this.#latest = { kind: 'answered', generation: newest + 1n };
  }

  take(event: InstanceEvent): void {
    if (event.event.case === 'desired') {
      const { desired, cause } = event.event.value;
      const phase = phases[desired];
      if (phase !== undefined) this.#tell({ type: 'desired', phase, cause });
      return;
    }
    if (this.#latest.kind === 'under-way') {
      const item = event.generation === this.#latest.replaces ? this.#read(event) : undefined;
      // Where it turns out that the Start kept it, what became of it is told again when the Start has answered.
      this.#latest.held.push(event);
      if (item !== undefined && 'end' in item) this.#tell({ type: 'replaced', end: item.end });
      else if (item?.type === 'failed') this.#tell({ type: 'replaced', end: item.report.exit });
      return;
    }
    if (event.generation < this.#latest.generation) return;
    const item = this.#read(event);
    if (item === undefined) return;
    const isOver = this.#latest.kind === 'ended' && event.generation === this.#latest.generation;
    if (!isOver) this.#tell(item);
    else if ('end' in item) this.#tell({ type: 'replaced', end: item.end });
    else if (item.type === 'failed') this.#tell({ type: 'replaced', end: item.report.exit });
  }

  get #held(): readonly InstanceEvent[] {
    return this.#latest.kind === 'under-way' ? this.#latest.held : [];
  }

  #read({ event }: InstanceEvent): NewsItem | undefined {
    switch (event.case) {
      case 'use':
        return {
          type: 'use',
          cpuMs: Number(event.value.cpuMs),
          memoryBytes: Number(event.value.memoryBytes),
        };
      case 'ready':
        return { type: 'ready-hint' };
      case 'state': {
        const { state, failure, exit } = event.value;
        if (state === InstanceState.COMPLETED) return { type: 'completed', end: processEnd(exit) };
        if (state === InstanceState.STOPPED) return { type: 'stopped', end: processEnd(exit) };
        if (state !== InstanceState.FAILED) return undefined;
        return {
          type: 'failed',
          report:
            failure === undefined
              ? {
                  code: 'FAILED',
                  message: `${this.#service} failed, and its agent does not say why`,
                  service: this.#service,
                  phase: 'run',
                  remedy: null,
                  lastLines: [],
                  exit: processEnd(exit),
                }
              : { ...reportedFailure(failure, this.#service, 'run'), exit: processEnd(failure.exit ?? exit) },
        };
      }
      default:
        return undefined;
    }
  }
}
