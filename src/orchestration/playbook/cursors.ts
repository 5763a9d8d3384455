/**
 * How far each service has come in its policy, and how many of its prerequisites its next phase still waits for. Every
 * move keeps the counts of those who wait, so that nobody has to count anew (F-12).
 */
import type { Wait } from '../../workspace/index.ts';
import type { PlaybookGraph } from './graph.ts';
import type { Phase, Policy } from './policy.ts';

interface Cursor {
  /** Index into the policy's phases of the next one to run; their number when settled. */
  at: number;
  /** Prerequisites that do not yet fulfil what the phase at the cursor asks. */
  unmet: number;
  /** Dependencies whose gate is open. */
  readonly openGates: Set<string>;
}

const noWaits: ReadonlyMap<string, Wait> = new Map();

/** Begins with every service before its first phase. Services that the graph does not have may not be asked about. */
export class Cursors {
  #graph: PlaybookGraph;
  readonly #policy: Policy;
  #roots: ReadonlySet<string>;
  readonly #end: number;
  readonly #all = new Map<string, Cursor>();
  #unsettled = 0;

  constructor(graph: PlaybookGraph, policy: Policy, roots: ReadonlySet<string>) {
    this.#graph = graph;
    this.#policy = policy;
    this.#roots = roots;
    this.#end = policy.phases.length;
    this.#admit();
  }

  /** Goes on with another graph: those that are new to it stand before their first phase, those that it does not have are out. */
  replan(graph: PlaybookGraph, roots: ReadonlySet<string>): void {
    this.#graph = graph;
    this.#roots = roots;
    const staying = new Set(graph.services);
    for (const [service, { at }] of [...this.#all]) {
      if (staying.has(service)) continue;
      this.#all.delete(service);
      if (at < this.#end) this.#unsettled--;
    }
    this.#admit();
  }

  #admit(): void {
    const fresh = this.#graph.services.filter((service) => !this.#all.has(service));
    for (const service of fresh) {
      const at = this.nextIndex(service, 0);
      this.#all.set(service, { at, unmet: 0, openGates: new Set() });
      if (at < this.#end) this.#unsettled++;
    }
    for (const service of fresh) {
      const cursor = this.#cursor(service);
      cursor.unmet = this.#countUnmet(service, cursor);
    }
  }

  /** Every service has gone through its phases. */
  get isSettled(): boolean {
    return this.#unsettled === 0;
  }

  /** Index of the service's next phase; the number of phases when it has none. */
  at(service: string): number {
    return this.#cursor(service).at;
  }

  /** The service's next phase, where nothing that it waits for is missing. */
  open(service: string): Phase | undefined {
    const { at, unmet } = this.#cursor(service);
    return unmet > 0 ? undefined : this.#policy.phases[at]?.phase;
  }

  /** The first phase from `index` on that concerns the service. */
  nextIndex(service: string, index: number): number {
    let next = index;
    while (next < this.#end && !this.#concerns(service, next)) next++;
    return next;
  }

  /** The last phase that concerns the service; -1 where none does. */
  lastIndex(service: string): number {
    return this.#policy.phases.findLastIndex((_, index) => this.#concerns(service, index));
  }

  /** Moves to the first phase from `index` on. @returns the dependents for which the service came to fulfil more or less. */
  move(service: string, index: number): readonly string[] {
    const cursor = this.#cursor(service);
    const before = cursor.at;
    const after = this.nextIndex(service, index);
    cursor.at = after;
    if (before === this.#end && after < this.#end) this.#unsettled++;
    if (before < this.#end && after === this.#end) this.#unsettled--;
    cursor.unmet = this.#countUnmet(service, cursor);
    return (this.#graph.dependents.get(service) ?? []).filter((dependent) => {
      const waiting = this.#cursor(dependent);
      if (waiting.at === this.#end || this.#waitsByGate(dependent, waiting, service)) return false;
      const isMet = after > waiting.at;
      if (before > waiting.at === isMet) return false;
      waiting.unmet += isMet ? -1 : 1;
      return true;
    });
  }

  /** What the edge waits for began, or ceased, to hold. @returns whether that is more or less for the dependent's next phase. */
  setGate(dependent: string, dependency: string, open: boolean): boolean {
    const cursor = this.#cursor(dependent);
    if (cursor.openGates.has(dependency) === open) return false;
    if (open) cursor.openGates.add(dependency);
    else cursor.openGates.delete(dependency);
    if (!this.#waitsByGate(dependent, cursor, dependency)) return false;
    cursor.unmet += open ? -1 : 1;
    return true;
  }

  #cursor(service: string): Cursor {
    return this.#all.get(service) as Cursor;
  }

  #concerns(service: string, index: number): boolean {
    return this.#policy.phases[index]?.on === 'all' || this.#roots.has(service);
  }

  #waitsOf(service: string): ReadonlyMap<string, Wait> {
    return this.#graph.prerequisites.get(service) ?? noWaits;
  }

  #countUnmet(service: string, cursor: Cursor): number {
    if (cursor.at === this.#end) return 0;
    let unmet = 0;
    for (const dependency of this.#waitsOf(service).keys()) {
      const isMet = this.#waitsByGate(service, cursor, dependency)
        ? cursor.openGates.has(dependency)
        : this.at(dependency) > cursor.at;
      if (!isMet) unmet++;
    }
    return unmet;
  }

  /** Whether the dependent's next phase looks at the edge's gate and not at the dependency's cursor. */
  #waitsByGate(dependent: string, { at }: Cursor, dependency: string): boolean {
    // `started` is read off the dependency's own cursor; the other waits are observed and told.
    return (
      this.#policy.phases[at]?.after === 'gate' && this.#waitsOf(dependent).get(dependency) !== 'started'
    );
  }
}
