/** What a run is asked to be: plain data, so that it can be handed to a supervisor. */
import type { Part, Until } from '../../orchestration/index.ts';

export interface RunRequest {
  /** Absolute root of the workspace. */
  readonly root: string;
  readonly runId: string;
  /** Names as written; empty: every service. */
  readonly services: readonly string[];
  readonly part: Part;
  /** Names as written. */
  readonly excluded: readonly string[];
  readonly until?: Until;
  readonly outputEnvironment?: {
    /** Absolute. */
    readonly file: string;
    /** Name as written; absent: the origin. */
    readonly service?: string;
  };
  readonly failFast: boolean;
  /** A failure before the run is ready ends it. */
  readonly wait: boolean;
  readonly readinessTimeoutMs: number;
  readonly teardownBudgetMs: number;
  readonly temporaryPorts: boolean;
  /** `service/endpoint=N` as written. */
  readonly ports: readonly string[];
  /** Absolute. */
  readonly agentPaths: readonly string[];
  readonly parallelism?: number;
}
