/**
 * What an author writes: an `AgentDefinition` for the agent, and for each service instance a `ServiceHandler` made by
 * `createService`. The SDK keeps the instances, runs the phases of one instance after another and those of different
 * instances side by side, counts generations, reports states, and turns what a handler throws into failures.
 */
import type { JsonObject } from '@bufbuild/protobuf';
import type { ZodType } from 'zod';
import type { Exit } from '../../processes/index.ts';
import type { AgentFailure } from './failure.ts';
import type {
  Configuration,
  DependencyConfigurations,
  DependencyMappings,
  Diagnostic,
  Endpoint,
  Identity,
  Mapping,
  RuntimeContext,
  ServiceKind,
  TestSelection,
  TestSuite,
  Variable,
} from './model.ts';
import type { CommandOptions, CommandOutcome, SupervisedProcess, SuperviseOptions } from './supervision.ts';
import type { WatchOptions } from './watch/index.ts';

/** A JSON Schema (draft 2020-12); with one of these, a `spec` reaches the handler as it was written. */
export interface JsonSchema {
  readonly jsonSchema: JsonObject;
}

/** A schema, or how to load it: a schema that is loaded late does not delay the agent's start. */
export type SpecSchema<Spec> = ZodType<Spec> | JsonSchema | (() => Promise<ZodType<Spec> | JsonSchema>);

export interface AgentDefinition<Spec = JsonObject> {
  /** `publisher/name`. */
  readonly name: string;
  /** Semantic version of the agent. */
  readonly version: string;
  /** Schema of `spec`; absent: any object is accepted. */
  readonly schema?: SpecSchema<Spec>;
  /** Programming languages that it knows. */
  readonly languages?: readonly string[];
  /** What it can serve, by preference; default `native` alone. */
  readonly runtimeContexts?: readonly RuntimeContext[];
  /** Markdown for people. */
  readonly documentation?: string;
  /** Absent: the host probes. */
  readonly validation?: Validation;
  /** Capabilities beyond those that the SDK itself brings, as `name/vN`. */
  readonly capabilities?: readonly string[];
  /** Makes the handler of one instance, at its first Load. Does no work: that is for the phases. */
  createService(context: ServiceContext<Spec>): ServiceHandler;
}

/** Which validations the agent can do. */
export interface Validation {
  readonly lint?: ValidationSupport;
  readonly compile?: ValidationSupport;
  readonly test?: ValidationSupport;
  readonly suites?: readonly {
    readonly name: string;
    readonly dependencies: 'none' | 'start-dependencies' | 'start-stack';
  }[];
}

export interface ValidationSupport {
  readonly supported: boolean;
  readonly scopes?: readonly ('file' | 'suite' | 'case')[];
}

/** What a handler knows and may use of its instance. Values are those of the latest Load. */
export interface ServiceContext<Spec = JsonObject> {
  /** `module/service`. */
  readonly instance: string;
  readonly identity: Identity;
  readonly spec: Spec;
  readonly kind: ServiceKind;
  readonly runtimeContext: RuntimeContext;
  readonly endpoints: readonly Endpoint[];
  /** Absolute folder that relative paths start from. */
  readonly directory: string;
  /** Absolute folder for data kept between runs; may not exist yet. */
  readonly dataDirectory: string;
  /** Absolute folder of this run; exists. */
  readonly runDirectory: string;
  readonly workspaceDirectory: string;
  /** Data may be thrown away with the run. */
  readonly disposable: boolean;
  /**
   * Starts a process that is (part of) the service; only inside `start`. Its output flows to the logs; its end is
   * reported by the SDK, with the exit and the last lines; the SDK stops it on Stop, on a new Start, and when the host
   * is gone.
   * @throws {SkeinError} SK1601 and the others of spawning
   */
  supervise(options: SuperviseOptions): Promise<SupervisedProcess>;
  /**
   * Runs a command to its end (a build, a test) with its output in the logs. Ended early when `signal` is aborted, and
   * then throws its reason.
   * @throws {SkeinError} SK1601 and the others of spawning
   */
  run(options: CommandOptions): Promise<CommandOutcome>;
  /** Writes lines of the agent's own into the service's log. */
  log(text: string): void;
  /** Masks a value in everything that leaves the agent from now on. */
  hide(secret: string): void;
  /** Asks the host to go through a phase again; `cause` says why, for a person. */
  desire(phase: 'load' | 'init' | 'start', cause: string): void;
  /**
   * Watches sources from now on, instead of those watched before, and asks for `phase` when they have changed (F-15): a
   * burst of saves once, with the names of the files as its cause; a file that changes with every reload no more. Called in
   * `init`, before anything is built: what is there then is no change. Resolves when changes are noticed; ends with Stop, and
   * goes on with the next Start. What cannot be watched is said in the service's log.
   */
  watch(options: WatchOptions): Promise<void>;
  /** Says that the service is ready; the host may probe at once. */
  ready(): void;
  /** Says that what runs outside the SDK's supervision (a container) has ended, or that the service cannot go on. */
  ended(ending: { readonly exit: Exit; readonly lastLines: readonly string[] } | AgentFailure): void;
}

/** Ends when the host cancels the call, when Stop interrupts it, or when a higher round supersedes it. */
export interface Phase {
  readonly signal: AbortSignal;
}

export interface InitPhase extends Phase {
  readonly round: number;
  /** One mapping for each endpoint, with every access that the host would allow. */
  readonly proposedMappings: readonly Mapping[];
  readonly dependencyMappings: readonly DependencyMappings[];
  readonly dependencyConfigurations: readonly DependencyConfigurations[];
  readonly workspaceConfigurations: readonly Configuration[];
  /** What Start will bring if the proposal is accepted as it is; for builds. */
  readonly environment: readonly Variable[];
}

export interface InitAnswer {
  /** Default: the proposal, unchanged. */
  readonly mappings?: readonly Mapping[];
  /** What the service exposes to its dependents. */
  readonly configurations?: readonly Configuration[];
  /** Where it will really run; default: as asked. */
  readonly runtimeContext?: RuntimeContext;
}

export interface StartPhase extends Phase {
  readonly round: number;
  /** Counts the processes of this instance from 1. */
  readonly generation: number;
  /** The whole environment of the process. */
  readonly environment: readonly Variable[];
  /** The accepted addresses. */
  readonly mappings: readonly Mapping[];
  readonly dependencyMappings: readonly DependencyMappings[];
  readonly dependencyConfigurations: readonly DependencyConfigurations[];
}

export interface TestPhase extends Phase {
  readonly selection: TestSelection;
  readonly coverage: boolean;
  readonly environment: readonly Variable[];
}

export interface TestAnswer {
  readonly suites: readonly TestSuite[];
  /** The selection as it was honoured; default: none. */
  readonly selection?: TestSelection;
  /** 0 to 1; absent where it was not measured. */
  readonly lineCoverage?: number;
}

export interface ValidationAnswer {
  readonly diagnostics: readonly Diagnostic[];
}

export interface StopPhase {
  /** Milliseconds between the stop signal and SIGKILL. */
  readonly timeoutMs: number;
}

/** The phases of one instance. What is absent succeeds without doing anything; lint, compile and test are refused. */
export interface ServiceHandler {
  /** Answers the service's endpoints where they are others than those declared. */
  load?(phase: Phase): Promise<readonly Endpoint[] | undefined>;
  init?(phase: InitPhase): Promise<InitAnswer | undefined>;
  /** Answers when the service's process runs, not when it is ready. */
  start(phase: StartPhase): Promise<void>;
  /** A failed test case makes the answer FAILED by itself. */
  test?(phase: TestPhase): Promise<TestAnswer>;
  /** A diagnostic of severity `error` makes the answer FAILED by itself. */
  lint?(phase: Phase & { readonly fix: boolean }): Promise<ValidationAnswer>;
  compile?(phase: Phase): Promise<ValidationAnswer>;
  /**
   * Stops what the SDK does not supervise, or supervised processes in a gentler way; what still runs afterwards the
   * SDK stops itself. `forced` where something had to be killed.
   */
  stop?(phase: StopPhase): Promise<'stopped' | 'forced' | 'timed-out' | undefined>;
  /** Removes what was made for this run alone; called after the stop. */
  destroy?(phase: { readonly deleteData: boolean }): Promise<void>;
  /**
   * Whether the service's process reloads itself (N-9). A Start then keeps one that runs, with its generation, as long as
   * the `spec` and everything else that it was started with is the same; `start` is called where something differs.
   */
  readonly hotReload?: boolean | undefined;
  /** Milliseconds between stop signal and SIGKILL where the host names none; default 10,000. */
  readonly stopTimeoutMs?: number | undefined;
}
