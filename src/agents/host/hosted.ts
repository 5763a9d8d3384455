/**
 * A running program and what of it is used: the agents that it turned out to be, each admitted when a service first
 * needs it, the news of its instances, and how many sessions it has.
 */
import type { AgentLife } from './agent-life.ts';
import type { AgentProcess } from './agent-process.ts';
import { InstanceFeed } from './instance-feed.ts';
import type { ResolvedAgent } from './resolved.ts';

/** Whether a program is for one service or for all that may share it. */
export type Purpose = 'one' | 'all';

export interface HostedOptions {
  readonly purpose: Purpose;
  /** Asks the program for the agent and judges it. */
  readonly admit: (agent: ResolvedAgent) => Promise<AgentProcess>;
  readonly onStray: (instance: string) => void;
}

export class Hosted {
  readonly life: AgentLife;
  /** How many sessions it has. */
  sessions = 0;
  readonly #options: HostedOptions;
  /** By identity and range; one that was refused is not here. */
  readonly #admitted: Map<string, Promise<AgentProcess>> = new Map();
  /** Everybody who ever asked, by identity and range. */
  readonly #claims: Set<string> = new Set();
  /** Decides by what it says of the program whether others may have it too. */
  #first: ResolvedAgent | undefined;
  #feed: InstanceFeed | undefined;
  #isKept = false;

  constructor(life: AgentLife, options: HostedOptions) {
    this.life = life;
    this.#options = options;
  }

  /** It goes on without sessions, for the services that are still to come. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /**
   * The agent, where the program is it too; `undefined` where it serves another one and no more.
   * @throws {SkeinError} as `admitAgent`
   */
  async admit(agent: ResolvedAgent): Promise<AgentProcess | undefined> {
    this.#claims.add(keyOf(agent));
    this.#first ??= agent;
    const first = this.#first;
    if (first.identity !== agent.identity) {
      const other = await this.#admission(first).catch(() => undefined);
      if (other === undefined) {
        // The first one was refused, which it is told itself: the program is free for this one.
        if (this.#first === first) this.#first = agent;
        return this.admit(agent);
      }
      if (!other.capabilities.has('multi-agent/v1')) return undefined;
    }
    const process = await this.#admission(agent);
    this.#isKept = this.#options.purpose === 'all' && process.capabilities.has('multi-service/v1');
    return process;
  }

  /** Whether nobody but this agent has asked for the program. */
  isOnlyFor(agent: ResolvedAgent): boolean {
    return this.#claims.size === 1 && this.#claims.has(keyOf(agent));
  }

  /** The news of all of its instances, whichever agent they are of. */
  feed(process: AgentProcess): InstanceFeed {
    this.#feed ??= new InstanceFeed(process, this.#options.onStray);
    return this.#feed;
  }

  /** @throws {SkeinError} as `AgentLife.close` */
  async end(options: { readonly signal?: AbortSignal }): Promise<void> {
    try {
      await this.life.close(options);
    } finally {
      await this.#feed?.[Symbol.asyncDispose]();
    }
  }

  #admission(agent: ResolvedAgent): Promise<AgentProcess> {
    const key = keyOf(agent);
    const known = this.#admitted.get(key);
    if (known !== undefined) return known;
    const admission = this.#options.admit(agent);
    this.#admitted.set(key, admission);
    admission.catch(() => this.#admitted.delete(key));
    return admission;
  }
}

function keyOf({ identity, range }: ResolvedAgent): string {
  return `${identity}:${range ?? ''}`;
}
