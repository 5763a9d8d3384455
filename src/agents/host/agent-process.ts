/**
 * A running, admitted agent: its clients and its abilities. A program that is several agents is one
 * life behind several of these.
 */
import { SkeinError } from '../../errors/index.ts';
import { AgentService, type GetAgentInformationResponse } from '../../gen/skein/agent/v1/agent_pb.js';
import { BuilderService } from '../../gen/skein/builder/v1/builder_pb.js';
import { RuntimeService } from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { AgentExit, AgentLogLine } from '../program/index.ts';
import type { CallableClient } from '../wire/index.ts';
import type { AgentEnd, AgentLife } from './agent-life.ts';
import type { Callee } from './caller.ts';

export class AgentProcess {
  /** Identity of the agent, such as `skein/process`. */
  readonly name: string;
  /** How the program knows it: `publisher/name`; empty where the reference is a path, which tells no name. */
  readonly asked: string;
  readonly information: GetAgentInformationResponse;
  /** As advertised; unknown ones are here too and harm nobody. */
  readonly capabilities: ReadonlySet<string>;
  /** Calls are judged, limited in time and attributed; see `judgedClient`. */
  readonly runtime: CallableClient<typeof RuntimeService>;
  readonly builder: CallableClient<typeof BuilderService>;
  readonly agent: CallableClient<typeof AgentService>;
  readonly life: AgentLife;

  constructor(life: AgentLife, callee: Callee, asked: string, information: GetAgentInformationResponse) {
    this.life = life;
    this.name = callee.name;
    this.asked = asked;
    this.information = information;
    this.capabilities = new Set(information.contract?.capabilities);
    this.runtime = life.client(RuntimeService, callee);
    this.builder = life.client(BuilderService, callee);
    this.agent = life.client(AgentService, callee);
  }

  get pid(): number {
    return this.life.pid;
  }

  /** Settles at the exit of the process, whatever the reason; never rejects. */
  get exited(): Promise<AgentExit> {
    return this.life.exited;
  }

  /** The exit as soon as it is known. */
  get exit(): AgentExit | undefined {
    return this.life.exit;
  }

  /** Whether the end was asked for. */
  get isClosing(): boolean {
    return this.life.isClosing;
  }

  /** Last lines of its own log, oldest first. */
  lastLines(): readonly string[] {
    return this.life.lastLines();
  }

  /** Every line of its own log from now on. @returns what ends the listening. */
  onLog(listener: (line: AgentLogLine) => void): () => void {
    return this.life.onLog(listener);
  }

  /**
   * Returns where the agent has the ability; called before the operation that needs it.
   * @throws {SkeinError} SK1319; `operation` completes "…, which it needs to …".
   */
  require(capability: string, operation: string): void {
    if (this.capabilities.has(capability)) return;
    throw new SkeinError(
      'SK1319',
      `agent ${this.name} ${this.information.version} does not advertise \`${capability}\`, which it needs to ${operation}`,
    );
  }

  /** Ends its program, with every other agent that it is; see `AgentLife.close`. */
  close(options: { readonly signal?: AbortSignal } = {}): Promise<AgentEnd> {
    return this.life.close(options);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
