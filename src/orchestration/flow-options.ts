/** What a flow is told when it is made. */
import type { StartedProgram } from '../agents/program/index.ts';
import type { EndpointId, Port, Service, ServiceId, Workspace } from '../workspace/index.ts';
import type { Clock } from './clock.ts';
import type { Part } from './composition.ts';

/**
 * What ends a run that nobody stops: every root `loaded` or `initialized` (F-3), or the `first-exit` of a service that
 * nobody waits for to complete.
 */
export type Until = 'loaded' | 'initialized' | 'first-exit';

export interface OutputEnvironmentOptions {
  /** Absolute; its folder exists. */
  readonly file: string;
  /** Default: the origin. */
  readonly service?: ServiceId;
}

export interface FlowOptions {
  readonly workspace: Workspace;
  /** Empty: every service of the workspace. The first is the origin (F-3). */
  readonly roots: readonly ServiceId[];
  /** Default: `whole`. */
  readonly part?: Part;
  /** Services that are left out although others need them (`--exclude-service`). */
  readonly excluded?: ReadonlySet<ServiceId>;
  /** Where the run ends by itself; absent: it goes on. */
  readonly until?: Until;
  /** A file that holds a service's run-time environment (N-13). */
  readonly outputEnvironment?: OutputEnvironmentOptions;
  readonly runId: string;
  /** Absolute folder of this run; exists. */
  readonly runDirectory: string;
  /** End the run at the first failure, with the culprit's last words (F-9). */
  readonly failFast: boolean;
  /** As `failFast`, until the run was first ready. */
  readonly failBeforeReady: boolean;
  /** Milliseconds from the start to readiness. */
  readonly readinessTimeoutMs: number;
  /** Milliseconds that each layer of the teardown has (T-2). */
  readonly teardownBudgetMs: number;
  readonly temporaryPorts: boolean;
  readonly ports: ReadonlyMap<EndpointId, Port>;
  /** Absolute folders of `--agent-path`. */
  readonly agentPaths: readonly string[];
  /** Actions at once; absent: no limit. */
  readonly parallelism?: number;
  /** Absolute file of a service's output. */
  readonly logFile: (service: Service) => string;
  /** The last lines that are known of a service's output, oldest first, for a failure's report. */
  readonly lastLines: (service: Service) => readonly string[];
  readonly callerEnvironment: Readonly<Record<string, string | undefined>>;
  /** The program of the built-in agents, where it was started before the workspace was read; the flow's from now on. */
  readonly startedAgents?: StartedProgram;
  readonly clock?: Clock;
  readonly random?: () => number;
}
