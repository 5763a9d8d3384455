/** `skein run`: in the foreground, or left to a supervisor. */
import { resolve } from 'node:path';
import { SkeinError } from '../../errors/index.ts';
import { findWorkspace } from '../../workspace/index.ts';
import type { CommonOptions } from '../common-options.ts';
import type { ExitStatus } from '../exit-status.ts';
import { EarlyAgents } from '../run/early-agents.ts';
import type { RunRequest } from '../run/request.ts';

export interface RunOptions extends CommonOptions {
  readonly standAlone?: true;
  readonly excludeRoot?: true;
  readonly excludeService?: readonly string[];
  readonly loadOnly?: true;
  readonly initOnly?: true;
  readonly untilExit?: true;
  readonly outputEnv?: string;
  readonly outputEnvService?: string;
  readonly detach?: true;
  readonly wait?: true;
  /** Milliseconds. */
  readonly readinessTimeout: number;
  readonly temporaryPorts?: true;
  readonly port?: readonly string[];
  /** Milliseconds for each layer. */
  readonly teardownBudget: number;
  /** Absent: as the terminal decides. */
  readonly failFast?: boolean;
  readonly agentPath?: readonly string[];
  readonly parallelism?: number;
}

/** `script`: absolute path of what Node executes as `skein`. */
export async function run(
  services: readonly string[],
  options: RunOptions,
  script: string,
): Promise<ExitStatus> {
  const root = findWorkspace(options.cwd);
  // Everything else is loaded while it comes up.
  const agents = options.detach ? undefined : await EarlyAgents.start(root);
  const { newRunId } = await import('../../control/index.ts');
  const request: RunRequest = {
    root,
    runId: newRunId(new Date()),
    services,
    part: options.standAlone ? 'stand-alone' : options.excludeRoot ? 'without-root' : 'whole',
    excluded: options.excludeService ?? [],
    ...untilOf(options),
    ...outputOf(options),
    // A detached run is there to go on; nobody watches a foreground run without a terminal.
    failFast: options.failFast ?? !(options.detach || process.stdout.isTTY || process.stderr.isTTY),
    wait: options.wait ?? false,
    readinessTimeoutMs: options.readinessTimeout,
    teardownBudgetMs: options.teardownBudget,
    temporaryPorts: options.temporaryPorts ?? false,
    ports: options.port ?? [],
    agentPaths: (options.agentPath ?? []).map((path) => resolve(options.cwd, path)),
    ...(options.parallelism !== undefined && { parallelism: options.parallelism }),
  };
  if (agents === undefined) return (await import('../run/detached.ts')).detached(request, options, script);
  return (await import('../run/foreground.ts')).foreground(request, agents, options);
}

function untilOf({ loadOnly, initOnly, untilExit }: RunOptions): Pick<RunRequest, 'until'> {
  if (loadOnly) return { until: 'loaded' };
  if (initOnly) return { until: 'initialized' };
  return untilExit ? { until: 'first-exit' } : {};
}

/** @throws {SkeinError} SK1553 */
function outputOf({ cwd, outputEnv, outputEnvService }: RunOptions): Pick<RunRequest, 'outputEnvironment'> {
  if (outputEnv === undefined && outputEnvService !== undefined)
    throw new SkeinError(
      'SK1553',
      '--output-env-service says whose environment, and --output-env FILE is missing',
    );
  if (outputEnv === undefined) return {};
  return {
    outputEnvironment: {
      file: resolve(cwd, outputEnv),
      ...(outputEnvService !== undefined && { service: outputEnvService }),
    },
  };
}
