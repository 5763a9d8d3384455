/**
 * Launches an agent: process, bootstrap line, handshake, health; then information and admission, once for
 * each agent that the program is. Where a launch fails nothing stays behind: no process, no socket, no channel.
 */
import type { Client } from '@grpc/grpc-js';
import { type FilePlace, SkeinError } from '../../errors/index.ts';
import { AgentService } from '../../gen/skein/agent/v1/agent_pb.js';
import {
  type AgentLogLine,
  type Handshake,
  type HandshakeLine,
  judgeHandshake,
  type Program,
  pause,
  type SpawnedAgent,
  type StartedProgram,
  startProgram,
} from '../program/index.ts';
import { admit } from './admission.ts';
import { AgentLife } from './agent-life.ts';
import { AgentProcess } from './agent-process.ts';
import type { Callee } from './caller.ts';
import { awaitServing, openChannel } from './channel.ts';
import type { ResolvedAgent } from './resolved.ts';
import { type AgentTimeouts, defaultTimeouts, formatDuration } from './timeouts.ts';

export interface LaunchOptions {
  /** Gives the launch up; the running agent no longer heeds it. */
  readonly signal: AbortSignal;
  /** What differs from `defaultTimeouts`. */
  readonly timeouts?: Partial<AgentTimeouts>;
  /** Of the caller; the agent gets the short list of C-17 and `SKEIN_AGENT`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Absolute working folder of the agent. */
  readonly directory: string;
  /** The agent's own log, from its first line on. */
  readonly onLog?: (line: AgentLogLine) => void;
  /** Where a part of the `spec` of an instance is written, for field violations. */
  readonly locate?: (instance: string, pointer: string) => FilePlace | undefined;
}

/**
 * The agent, ready to be called.
 * @throws {SkeinError} as `startAgent` and `admitAgent`; the reason of `signal` when it is aborted.
 */
export async function launchAgent(agent: ResolvedAgent, options: LaunchOptions): Promise<AgentProcess> {
  const life = await startAgent(agent, options);
  try {
    return await admitAgent(life, agent, options.signal);
  } catch (error) {
    await life.close({ signal: AbortSignal.abort() });
    throw withLastLines(error, life);
  }
}

/**
 * The program of an agent, serving. `agent.identity` names it in errors.
 * @throws {SkeinError} SK1307, SK1308, SK1613, SK1614 (not started), SK1310 to SK1315 (no handshake, or a bad one); the reason of
 * `signal` when it is aborted.
 */
export async function startAgent(agent: Program, options: LaunchOptions): Promise<AgentLife> {
  options.signal.throwIfAborted();
  return serveProgram(await startProgram(agent, options), options);
}

/** As `startAgent`, of a program that runs already; it is cleared where it does not come to serve. */
export async function serveProgram(started: StartedProgram, options: LaunchOptions): Promise<AgentLife> {
  const { program: agent, spawned, line } = started;
  const timeouts: AgentTimeouts = { ...defaultTimeouts, ...options.timeouts };
  const deadline = started.startedAt + timeouts.handshakeMs;
  if (options.onLog) spawned.log.listen(options.onLog);
  let channel: Client | undefined;
  try {
    const signal = AbortSignal.any([options.signal, spawned.gone]);
    const handshake = await handshakeOf(spawned, line, { deadline, signal, timeoutMs: timeouts.handshakeMs });
    channel = openChannel(judgeHandshake(agent.identity, handshake, spawned.socket));
    await awaitServing(channel, {
      name: agent.identity,
      token: spawned.token,
      deadline,
      signal,
      lastLines: () => spawned.lastLines(),
    });
    return new AgentLife(spawned, channel, calleeOf(spawned, timeouts, options));
  } catch (error) {
    channel?.close();
    await spawned.clear();
    throw withLastLines(error, spawned);
  }
}

/**
 * One agent of a program that serves. Its end, where the agent is refused, is the caller's affair.
 * @throws {SkeinError} SK1316 to SK1318, SK1306 (not admitted), SK1320 to SK1328 (its information could not be had);
 * the reason of `signal` when it is aborted.
 */
export async function admitAgent(
  life: AgentLife,
  agent: ResolvedAgent,
  signal: AbortSignal,
): Promise<AgentProcess> {
  const callee = calleeNamed(agent.identity, life.callee);
  const asked = agent.found.kind === 'path' ? '' : agent.identity;
  const information = await life
    .client(AgentService, callee)
    .getAgentInformation({ agent: asked }, { signal });
  admit(agent, information);
  return new AgentProcess(life, callee, asked, information);
}

interface HandshakeWait {
  readonly deadline: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

async function handshakeOf(
  spawned: SpawnedAgent,
  line: HandshakeLine,
  wait: HandshakeWait,
): Promise<Handshake> {
  const patience = new AbortController();
  const over = pause(wait.deadline - performance.now(), AbortSignal.any([wait.signal, patience.signal]));
  try {
    const handshake = await Promise.race([line.handshake, over]);
    if (handshake !== undefined) return handshake;
  } finally {
    patience.abort();
  }
  wait.signal.throwIfAborted();
  throw new SkeinError(
    'SK1310',
    `agent ${spawned.name} printed no handshake within ${formatDuration(wait.timeoutMs)}`,
  );
}

function calleeOf(spawned: SpawnedAgent, timeouts: AgentTimeouts, { locate }: LaunchOptions): Callee {
  return {
    name: spawned.name,
    timeouts,
    exited: spawned.exited,
    get exit() {
      return spawned.exit;
    },
    lastLines: () => spawned.lastLines(),
    locate: (instance, pointer) => locate?.(instance, pointer),
  };
}

/** The same program under the name of one of its agents. */
function calleeNamed(name: string, callee: Callee): Callee {
  return {
    name,
    timeouts: callee.timeouts,
    exited: callee.exited,
    get exit() {
      return callee.exit;
    },
    lastLines: () => callee.lastLines(),
    locate: (instance, pointer) => callee.locate(instance, pointer),
  };
}

/** Errors of the launch show the agent's log as far as it came, which may be later than the error. */
function withLastLines(error: unknown, agent: { lastLines(): readonly string[] }): unknown {
  if (!(error instanceof SkeinError) || error.lastLines.length > 0) return error;
  const { code, message, place, cause, remedy } = error;
  return new SkeinError(code, message, {
    ...(place && { place }),
    ...(cause !== undefined && { cause }),
    ...(remedy !== undefined && { remedy }),
    lastLines: agent.lastLines(),
  });
}
