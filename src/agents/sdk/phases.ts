/**
 * The phases of one instance, one after another. A phase ends early when its caller cancels, when `interrupt` ends all
 * of them, or when one of a higher round supersedes it.
 */
import { AgentFailure } from './failure.ts';

export interface PhaseRequest {
  /** For messages, such as `start`. */
  readonly name: string;
  /** Absent for phases that belong to no round. */
  readonly round?: number;
  /** The caller's. */
  readonly signal: AbortSignal;
}

interface Phase {
  readonly request: PhaseRequest;
  readonly controller: AbortController;
}

export class PhaseQueue {
  #tail: Promise<unknown> = Promise.resolve();
  readonly #phases = new Set<Phase>();
  #highestRound = 0;

  /** Whether a phase runs or waits. */
  get isBusy(): boolean {
    return this.#phases.size > 0;
  }

  /**
   * Runs `work` when every earlier phase has ended.
   * @throws {AgentFailure} INTERRUPTED, SUPERSEDED; and whatever `work` or the caller's signal throws
   */
  async run<Result>(request: PhaseRequest, work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    this.#enterRound(request);
    const phase: Phase = { request, controller: new AbortController() };
    this.#phases.add(phase);
    const signal = AbortSignal.any([request.signal, phase.controller.signal]);
    const result = this.#tail.then(() => {
      signal.throwIfAborted();
      return work(signal);
    });
    this.#tail = result.then(
      () => undefined,
      () => undefined,
    );
    try {
      return await result;
    } finally {
      this.#phases.delete(phase);
    }
  }

  /** Ends what runs and what waits. */
  interrupt(by: string): void {
    for (const phase of this.#phases) phase.controller.abort(interrupted(phase.request.name, by));
  }

  /** A fresh Load begins the count of rounds anew. */
  resetRounds(): void {
    this.#highestRound = 0;
  }

  /** Resolves when what runs or waits now has ended. */
  async idle(): Promise<void> {
    await this.#tail;
  }

  #enterRound({ name, round }: PhaseRequest): void {
    if (round === undefined) return;
    if (round < this.#highestRound) throw superseded(name, round, this.#highestRound);
    this.#highestRound = round;
    for (const { request, controller } of this.#phases)
      if (request.round !== undefined && request.round < round)
        controller.abort(superseded(request.name, request.round, round));
  }
}

function interrupted(name: string, by: string): AgentFailure {
  return new AgentFailure('INTERRUPTED', `${name} was interrupted by ${by}`, { retryable: true });
}

function superseded(name: string, round: number, higher: number): AgentFailure {
  return new AgentFailure('SUPERSEDED', `${name} of round ${round} is superseded by round ${higher}`);
}
