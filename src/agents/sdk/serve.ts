/**
 * The life of an agent's process: launched by a host, it listens, says so, serves, and ends with every service that it
 * started, whoever ends it and however.
 */
import { unlinkSync } from 'node:fs';
import { Health } from '../../gen/grpc/health/v1/health_pb.js';
import { AgentService } from '../../gen/skein/agent/v1/agent_pb.js';
import { RuntimeService } from '../../gen/skein/runtime/v1/runtime_pb.js';
import { prepareSpawner, Registrar, takeInOrphans } from '../../processes/index.ts';
import { AGENT_VARIABLE, formatHandshake, PROTOCOL } from '../program/index.ts';
import { agentLog } from './agent-log.ts';
import { agentService } from './agent-service.ts';
import { Agents, type LazyAgent } from './agents.ts';
import { type Launch, readLaunch } from './bootstrap.ts';
import { Deadline } from './deadline.ts';
import type { AgentDefinition } from './definition.ts';
import { healthService } from './health.ts';
import { Instances } from './instances.ts';
import { runtimeService } from './runtime-service.ts';
import { AgentServer } from './server.ts';
import { endEverything } from './supervision.ts';

/** What services may take to stop where the host names no budget, or is gone. */
const defaultBudgetMs = 10_000;
/** What calls may take to end, and streams to hand over their last messages where the host asked for no Shutdown. */
const closeGraceMs = 1_000;

/**
 * Serves an agent on stdin and stdout until its host ends it or is gone, and then ends the process. Call it once, as
 * the last thing of the program.
 *
 * Exit status: 0 after an end in order; 1 after a fault, which stderr tells; 2 when no host started the process.
 */
export async function serveAgent<Spec>(definition: AgentDefinition<Spec>): Promise<void> {
  await serveAgents([definition]);
}

/**
 * As `serveAgent`, for a program that is several agents, which then share one process in a run (`multi-agent/v1`). A
 * lazy one is loaded when it is first needed; the first one is made ready in the background, once the host can call.
 */
export async function serveAgents(
  definitions: readonly (AgentDefinition<unknown> | LazyAgent)[],
): Promise<void> {
  const agents = new Agents(definitions);
  const names = agents.names.join(', ');
  if (process.env[AGENT_VARIABLE] !== '1') {
    process.stderr.write(await introduction(definitions));
    process.exit(2);
  }
  surviveClosedPipes();
  process.on('uncaughtException', crash);
  try {
    const launch = await readLaunch(process.stdin);
    const registrar = new Registrar(launch.processGroups);
    await serve(agents, registrar, launch);
    makeReady(agents, registrar);
  } catch (error) {
    agentLog('error', `${names} could not be launched`, error);
    process.exit(1);
  }
}

async function serve(agents: Agents, registrar: Registrar, launch: Launch): Promise<void> {
  const instances = new Instances(registrar);
  const ending = new AbortController();
  const server = new AgentServer(launch.token);
  const hungUp = launch.attached ? Promise.resolve() : endOf(process.stdin);

  const letGo = async (budgetMs: number): Promise<void> => {
    ending.abort();
    await instances.stopAll(budgetMs);
    await endEverything();
  };
  const leave = async (graceMs: number): Promise<never> => {
    instances.events.drain();
    instances.logs.drain();
    using grace = new Deadline(graceMs);
    const isHeard = await Promise.race([server.streamsEnd(), grace.passed()]);
    // What a slow reader has not taken yet would be lost with the connection; the host hangs up when it has.
    if (isHeard) await Promise.race([hungUp, grace.passed()]);
    await server.close(closeGraceMs);
    removeSocket(launch.socket);
    process.exit(0);
  };
  const end = onceOnly(async () => {
    await letGo(defaultBudgetMs);
    await leave(closeGraceMs);
  });
  const shutdown = async (written: number): Promise<void> => {
    const budgetMs = written === 0 ? defaultBudgetMs : written;
    await letGo(budgetMs);
    // The answer is on its way when this turn is over; closing lets it pass.
    setImmediate(() => void leave(budgetMs).catch(crash));
  };

  server.serve(
    Health,
    healthService([AgentService.typeName, RuntimeService.typeName], ending.signal),
    'open',
  );
  server.serve(AgentService, agentService(agents, shutdown));
  server.serve(RuntimeService, runtimeService(agents, instances));
  await server.listen(launch.socket);
  watchTheHost(launch, end);
  // Whatever the author's code printed before must not stand on the same line.
  const fresh = process.stdout.bytesWritten > 0 ? '\n' : '';
  process.stdout.write(
    `${fresh}${formatHandshake({ protocol: PROTOCOL, target: `unix:${launch.socket}` })}\n`,
  );
}

/** Loads what the first Load and Start need while the host is connecting; a fault is told to the call that meets it. */
function makeReady(agents: Agents, registrar: Registrar): void {
  setImmediate(() => {
    const first = agents.find('').then((agent) => agent?.information());
    void Promise.allSettled([prepareSpawner(), takeInOrphans(), registrar.prepare(), first]);
  });
}

async function introduction(agents: readonly (AgentDefinition<unknown> | LazyAgent)[]): Promise<string> {
  const lines = agents.map(async (agent) => {
    const { name, version } = 'load' in agent ? await agent.load() : agent;
    return `${name} ${version} is an agent of skein: it is started by skein, for services that say \`agent: ${name}\`.\n`;
  });
  return (await Promise.all(lines)).join('');
}

function endOf(stdin: typeof process.stdin): Promise<void> {
  return new Promise((resolve) => {
    if (stdin.readableEnded || stdin.destroyed) resolve();
    for (const event of ['end', 'close', 'error']) stdin.once(event, () => resolve());
  });
}

/** The end of stdin, or SIGTERM. A Ctrl-C and a closed terminal are the host's to judge, but for an attached agent. */
function watchTheHost(launch: Launch, end: () => void): void {
  process.on('SIGTERM', end);
  for (const signal of ['SIGINT', 'SIGHUP'] as const)
    process.on(signal, launch.attached ? end : () => undefined);
  if (launch.attached) return;
  process.stdin.on('error', end);
  process.stdin.on('close', end);
  if (process.stdin.readableEnded) end();
  else process.stdin.on('end', end);
}

/** When the host is gone its ends of our pipes are too, and the services still have to be stopped. */
function surviveClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
}

/** Nothing is known to hold any more: no service is asked to stop, and only the proof that all are gone is waited for. */
function crash(error: unknown): void {
  agentLog('error', 'the agent failed and ends, with every service that it started', error);
  void endEverything().finally(() => process.exit(1));
}

function removeSocket(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    // Closing the server removes it already.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      agentLog('warn', `${path} was left behind`, error);
  }
}

function onceOnly(work: () => Promise<unknown>): () => void {
  let begun = false;
  return () => {
    if (begun) return;
    begun = true;
    work().catch(crash);
  };
}
