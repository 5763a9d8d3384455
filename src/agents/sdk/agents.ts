/** The agents that one process is: usually one; where they are several, each is loaded when it is first needed. */
import type { GetAgentInformationResponse } from '../../gen/skein/agent/v1/agent_pb.js';
import type { AgentDefinition } from './definition.ts';
import { agentInformation } from './information.ts';
import { SpecReader } from './schema.ts';

/** An agent whose definition is loaded when the host first asks about it, or loads a service of it. */
export interface LazyAgent {
  /** `publisher/name`, as the definition says it too. */
  readonly name: string;
  load(): Promise<AgentDefinition<unknown>>;
}

/** One agent of the process, loaded; whatever its `spec` is, nobody but its own handlers reads it. */
export class LoadedAgent {
  readonly definition: AgentDefinition<unknown>;
  readonly specs: SpecReader<unknown>;
  readonly #isOneOfMany: boolean;
  #information: Promise<GetAgentInformationResponse> | undefined;

  constructor(definition: AgentDefinition<unknown>, isOneOfMany: boolean) {
    this.definition = definition;
    this.specs = new SpecReader(definition.schema);
    this.#isOneOfMany = isOneOfMany;
  }

  /** What the agent says of itself; made once. */
  information(): Promise<GetAgentInformationResponse> {
    this.#information ??= agentInformation(this.definition, this.specs, this.#isOneOfMany);
    return this.#information;
  }
}

export class Agents {
  readonly #agents: readonly (AgentDefinition<unknown> | LazyAgent)[];
  readonly #loaded = new Map<AgentDefinition<unknown> | LazyAgent, Promise<LoadedAgent>>();

  /** @throws {TypeError} when there is none */
  constructor(agents: readonly (AgentDefinition<unknown> | LazyAgent)[]) {
    if (agents.length === 0) throw new TypeError('a process of agents serves one at least');
    this.#agents = agents;
  }

  get names(): readonly string[] {
    return this.#agents.map(({ name }) => name);
  }

  /** The agent of that name; an only agent answers to any name, and an empty one means the first. */
  async find(name: string): Promise<LoadedAgent | undefined> {
    const isMany = this.#agents.length > 1;
    const agent = isMany && name !== '' ? this.#agents.find((one) => one.name === name) : this.#agents[0];
    if (agent === undefined) return undefined;
    const known = this.#loaded.get(agent);
    if (known !== undefined) return known;
    const loaded = loadAgent(agent, isMany);
    this.#loaded.set(agent, loaded);
    return loaded;
  }
}

async function loadAgent(
  agent: AgentDefinition<unknown> | LazyAgent,
  isOneOfMany: boolean,
): Promise<LoadedAgent> {
  return new LoadedAgent('load' in agent ? await agent.load() : agent, isOneOfMany);
}
