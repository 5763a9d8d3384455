/** The requirements of a run with their states: whether it is ready, and which gates are open. */
import type { ServiceId } from '../../workspace/index.ts';
import type { Gate, RequirementKey, RunRequirements } from './requirements.ts';
import type { RequirementState } from './state.ts';

/** What the recording of one state changed for others. */
export interface BoardChange {
  readonly opened: readonly Gate[];
  readonly closed: readonly Gate[];
  readonly run: 'became-ready' | 'revoked' | 'unchanged';
}

const nothing: BoardChange = { opened: [], closed: [], run: 'unchanged' };

/** Counts what does not hold, so that one change costs as much as the gates that it touches, however large the run is. */
export class ReadinessBoard {
  readonly #states = new Map<RequirementKey, RequirementState>();
  #plan: RunRequirements = { requirements: [], gates: [] };
  #required: ReadonlySet<RequirementKey> = new Set();
  #gatesOf: ReadonlyMap<RequirementKey, readonly Gate[]> = new Map();
  #gatesBefore: ReadonlyMap<ServiceId, readonly Gate[]> = new Map();
  #unmetOf: Map<Gate, number> = new Map();
  #unmet = 0;
  readonly #sinceMs: number;

  /** `sinceMs`: the clock's reading now; what nothing was recorded for is unknown since then. */
  constructor(plan: RunRequirements, sinceMs: number) {
    this.#sinceMs = sinceMs;
    this.replan(plan);
  }

  get plan(): RunRequirements {
    return this.#plan;
  }

  /** Every requirement holds. */
  get ready(): boolean {
    return this.#unmet === 0;
  }

  /** Takes another set of requirements (F-17, F-18); what was recorded is kept, whether it was required or not. */
  replan(plan: RunRequirements): void {
    const gatesOf = new Map<RequirementKey, Gate[]>();
    for (const gate of plan.gates)
      for (const { key } of gate.requirements) {
        const known = gatesOf.get(key);
        if (known === undefined) gatesOf.set(key, [gate]);
        else known.push(gate);
      }
    const gatesBefore = new Map<ServiceId, Gate[]>();
    for (const gate of plan.gates) {
      const known = gatesBefore.get(gate.dependent);
      if (known === undefined) gatesBefore.set(gate.dependent, [gate]);
      else known.push(gate);
    }
    this.#gatesBefore = gatesBefore;
    this.#plan = plan;
    this.#required = new Set(plan.requirements.map(({ key }) => key));
    this.#gatesOf = gatesOf;
    const holds = (key: RequirementKey): boolean => this.#states.get(key)?.kind === 'holding';
    this.#unmet = plan.requirements.filter(({ key }) => !holds(key)).length;
    this.#unmetOf = new Map(
      plan.gates.map((gate) => [gate, gate.requirements.filter(({ key }) => !holds(key)).length]),
    );
  }

  /** Records a state. A key that the run does not require changes nothing until a plan does. */
  record(key: RequirementKey, state: RequirementState): BoardChange {
    const gates = this.#gatesOf.get(key) ?? [];
    const required = this.#required.has(key);
    const held = this.#states.get(key)?.kind === 'holding';
    this.#states.set(key, state);
    if (!required && gates.length === 0) return nothing;
    const holds = state.kind === 'holding';
    if (held === holds) return nothing;
    const step = holds ? -1 : 1;
    const wasReady = this.ready;
    if (required) this.#unmet += step;
    const turned = gates.filter((gate) => {
      const before = this.#unmetOf.get(gate) ?? 0;
      this.#unmetOf.set(gate, before + step);
      return before === 0 || before + step === 0;
    });
    return {
      opened: holds ? turned : [],
      closed: holds ? [] : turned,
      run: wasReady === this.ready ? 'unchanged' : this.ready ? 'became-ready' : 'revoked',
    };
  }

  stateOf(key: RequirementKey): RequirementState {
    return this.#states.get(key) ?? { kind: 'unknown', sinceMs: this.#sinceMs };
  }

  /** Nothing is known any more of a service that left (F-18). */
  forget(service: ServiceId): void {
    for (const key of [...this.#states.keys()])
      if (key.startsWith(`${service}#`) || key.startsWith(`${service}/`)) this.#states.delete(key);
  }

  /** Whether everything that this gate waits for holds; a gate is one of `plan.gates`. */
  isOpen(gate: Gate): boolean {
    return (this.#unmetOf.get(gate) ?? 0) === 0;
  }

  /** What a service's Start waits on, open or not. */
  gatesOf(dependent: ServiceId): readonly Gate[] {
    return this.#gatesBefore.get(dependent) ?? [];
  }

  /** The gates that keep a service's Start waiting. */
  closedGates(dependent: ServiceId): readonly Gate[] {
    return this.gatesOf(dependent).filter((gate) => !this.isOpen(gate));
  }
}
