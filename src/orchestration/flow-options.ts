/** What a flow is told when it is made. */
import type { StartedProgram } from '../agents/program/index.ts';
import type { EndpointId, Port, Service, ServiceId, Workspace } from '../workspace/index.ts';
import type { Clock } from './clock.ts';

export interface FlowOptions {
  readonly workspace: Workspace;
  /** Empty: every service of the workspace. The first is the origin (F-3). */
  readonly roots: readonly ServiceId[];
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
