/**
 * What a mode is: which phases a service goes through, and what each waits for. A policy is a table; adding a mode is
 * one file under `policies/` (F-5).
 */
import type { Mode } from '../events.ts';

export type Phase = 'load' | 'init' | 'start' | 'test' | 'build' | 'sync' | 'deploy';

/** An atomic unit of work. The same action never runs twice (F-7). */
export interface Action {
  readonly phase: Phase;
  readonly service: string;
  /** Counts from 0; a higher round supersedes queued lower ones. */
  readonly round: number;
}

export interface PhaseRule {
  readonly phase: Phase;
  /**
   * What every prerequisite of the service must fulfil before this phase may run: `same-phase`, it has completed this
   * phase; `gate`, the edge's `wait` holds.
   */
  readonly after: 'same-phase' | 'gate';
  /** Which services go through it; the others pass over it. */
  readonly on: 'all' | 'roots';
  /** Where a service begins again after a failure in this phase (F-9). */
  readonly retryFrom: Phase;
  /**
   * How often a failure in this phase is followed by another attempt: `limited`, as the service's restart policy says
   * (F-16); `unlimited`, for as long as the run goes on.
   */
  readonly retries: 'limited' | 'unlimited';
}

/** The same mode, ended at a phase: what comes after it nobody goes through (F-3). */
export function policyUntil(policy: Policy, phase: Phase): Policy {
  const index = policy.phases.findIndex((rule) => rule.phase === phase);
  return { ...policy, phases: policy.phases.slice(0, index + 1) };
}

export interface Policy {
  readonly mode: Mode;
  /** Which edges order it (W-9). */
  readonly stage: 'run' | 'build';
  /** Which manager executes it (F-13). */
  readonly manager: 'runner' | 'builder';
  /** In order; never empty. */
  readonly phases: readonly PhaseRule[];
}
