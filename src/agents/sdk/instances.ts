/** The instances of one agent process, by name. */
import { create } from '@bufbuild/protobuf';
import {
  type InformationResponse,
  InformationResponseSchema,
  type InstanceEvent,
  InstanceState,
} from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { Registrar } from '../../processes/index.ts';
import { agentLog } from './agent-log.ts';
import type { LoadedAgent } from './agents.ts';
import { EventStreams, instanceEvent } from './events.ts';
import { AgentFailure, processExit } from './failure.ts';
import type { Generations } from './generations.ts';
import { ServiceInstance } from './instance.ts';
import { LogStreams } from './logs/index.ts';
import type { StopResult } from './supervision.ts';

export class Instances {
  readonly events: EventStreams = new EventStreams();
  readonly logs: LogStreams = new LogStreams();
  readonly #instances = new Map<string, ServiceInstance>();
  readonly #registrar: Registrar;

  /** `registrar` keeps the records of whatever the instances start. */
  constructor(registrar: Registrar) {
    this.#registrar = registrar;
  }

  find(name: string): ServiceInstance | undefined {
    return this.#instances.get(name);
  }

  /**
   * Makes the instance where it is not known.
   * @throws {AgentFailure} INSTANCE_TAKEN where it is one of another agent
   */
  open(name: string, agent: LoadedAgent): ServiceInstance {
    const known = this.#instances.get(name);
    if (known?.agent === agent) return known;
    if (known !== undefined)
      throw new AgentFailure(
        'INSTANCE_TAKEN',
        `${name} is an instance of ${known.agent.definition.name}, and needs Destroy before ${agent.definition.name} can load it`,
      );
    const instance = new ServiceInstance({
      agent,
      registrar: this.#registrar,
      output: this.logs.outputOf(name),
      report: (generation, happening) => this.events.publish(instanceEvent(name, generation, happening)),
    });
    this.#instances.set(name, instance);
    return instance;
  }

  /** Drops an instance that was destroyed, or that could never be loaded. */
  forget(name: string): void {
    if (this.#instances.get(name)?.isForgettable) this.#instances.delete(name);
  }

  /** One event for each instance that a Watch asks for. */
  present(names: ReadonlySet<string>): InstanceEvent[] {
    const asked = [...this.#instances].filter(([name]) => names.size === 0 || names.has(name));
    return asked
      .filter(([, { generations }]) => generations.state !== InstanceState.UNSPECIFIED)
      .map(([name, { generations }]) => {
        const { state, number } = generations;
        const { failure, exit } = endingOf(generations);
        return instanceEvent(name, number, {
          kind: 'state',
          state,
          ...(failure && { failure }),
          ...(exit && { exit }),
        });
      });
  }

  information(instance: ServiceInstance): InformationResponse {
    const { generations, desired } = instance;
    const { failure, exit } = endingOf(generations);
    return create(InformationResponseSchema, {
      state: generations.state,
      desiredState: desired,
      generation: BigInt(generations.number),
      ...(failure && { failure }),
      ...(exit && { exit: processExit(exit.exit, exit.pid) }),
    });
  }

  /** Lets go of everything; nobody waits longer than `budgetMs` for a stop signal to be heeded. Never rejects. */
  async stopAll(budgetMs: number): Promise<void> {
    const stops = [...this.#instances].map(async ([name, instance]): Promise<StopResult> => {
      try {
        return await instance.stop(Math.min(budgetMs, instance.stopTimeoutMs));
      } catch (error) {
        agentLog('error', `${name} could not be stopped`, error);
        return 'timed-out';
      }
    });
    await Promise.all(stops);
    await this.logs.flush();
  }
}

function endingOf(generations: Generations): Partial<NonNullable<Generations['ending']>> {
  return generations.ending ?? {};
}
