/**
 * The workspace as everything after the reader sees it: parsed, validated, immutable. A value of these types cannot be
 * wrong in itself; what it refers to exists (W-8) and its order has no cycle (W-9).
 */
import type { FilePlace } from '../errors/index.ts';

declare const brand: unique symbol;
type Branded<Base, Name extends string> = Base & { readonly [brand]: Name };

/** `module/service` (W-2). */
export type ServiceId = Branded<string, 'ServiceId'>;
/** `module/service/endpoint` (W-2). */
export type EndpointId = Branded<string, 'EndpointId'>;
/** 1 to 65535. */
export type Port = Branded<number, 'Port'>;
/** Milliseconds, never negative. Written `250ms`, `10s`, `5m` in files. */
export type DurationMs = Branded<number, 'DurationMs'>;

export type Api = 'http' | 'grpc' | 'rest' | 'connect' | 'tcp' | 'udp';
export type Visibility = 'private' | 'internal' | 'public';
export type Exposure = 'public' | 'none';
export type ServiceKind = 'service' | 'job';
export type DependencyKind = 'runtime' | 'build' | 'schema' | 'completion' | 'external';
/** What a dependent's Start waits for. */
export type Wait = 'ready' | 'started' | 'completed';

/** `publisher/name[:version]`, or a path inside the workspace. */
export type AgentReference =
  | {
      readonly kind: 'name';
      readonly publisher: string;
      readonly name: string;
      readonly version?: string;
      readonly place: FilePlace;
    }
  | {
      readonly kind: 'path' /** Absolute. */;
      readonly path: string;
      readonly written: string;
      readonly place: FilePlace;
    };

/** Names of JSON's own values, as a `spec` may hold them. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** When a probe runs, and how many of its outcomes decide; what is absent is the prober's default. */
export interface ProbeTiming {
  /** From the beginning of an attempt to that of the next. */
  readonly intervalMs?: DurationMs;
  /** What one attempt may take. */
  readonly timeoutMs?: DurationMs;
  /** Successes in a row after which it holds. */
  readonly successThreshold?: number;
  /** Failures in a row after which it holds no more. */
  readonly failureThreshold?: number;
  /** From the service's Start to the first attempt. */
  readonly initialDelayMs?: DurationMs;
}

/** What a probe is for: whether it may be used, whether it must be restarted, whether its start is over. */
export type ProbePurpose = 'readiness' | 'liveness' | 'startup';

/** The probes that a `health` declares, each by itself. */
export type Health<Probe> = { readonly [Purpose in ProbePurpose]?: Probe };

/** What a declared health path must answer. */
export interface HttpHealth {
  readonly path: string;
  /** Default HEAD; GET where `bodyContains` is declared, since a HEAD has no body. */
  readonly method: 'HEAD' | 'GET';
  /** Inclusive ranges; default 200–399. */
  readonly statuses: readonly (readonly [number, number])[];
  readonly headers: ReadonlyMap<string, string>;
  readonly bodyContains?: string;
}

/** A declared probe of an endpoint: what is asked, and when. */
export interface EndpointProbe {
  /** Absent: a connection, or of a gRPC endpoint its health service. */
  readonly http?: HttpHealth;
  /** Fully qualified protobuf services that a gRPC endpoint is asked for; empty: the server-wide status. */
  readonly grpcServices: readonly string[];
  readonly timing: ProbeTiming;
}

export interface Endpoint {
  readonly id: EndpointId;
  readonly name: string;
  readonly api: Api;
  readonly port?: Port;
  readonly visibility: Visibility;
  readonly exposure?: Exposure;
  /** The address speaks TLS. */
  readonly secured: boolean;
  /** Without a `readiness` the endpoint is examined as its API says. */
  readonly health?: Health<EndpointProbe>;
  /** Those whose health makes it ready, as the workspace or the agent's Load says; empty: the server-wide status. */
  readonly grpcServices: readonly string[];
  readonly place: FilePlace;
}

export interface ServiceDependency {
  readonly service: ServiceId;
  /** The producer's endpoints that this consumer uses; all that it may reach when the file names none. */
  readonly endpoints: readonly EndpointId[];
  readonly kind: DependencyKind;
  readonly wait: Wait;
  readonly place: FilePlace;
}

/** A text of the user's that may hold references (C-7), with the place of its first character. */
export interface Template {
  readonly text: string;
  readonly place: FilePlace;
}

export interface RestartPolicy {
  readonly policy: 'on-failure' | 'always' | 'never';
  readonly attempts: number;
  readonly backoffMs: DurationMs;
}

/** A command whose exit status 0 means that it holds (R-1 `command`). */
export interface CommandProbe {
  readonly command: string | readonly string[];
  readonly timing: ProbeTiming;
}

export interface Service {
  readonly id: ServiceId;
  readonly module: string;
  readonly name: string;
  readonly kind: ServiceKind;
  readonly agent: AgentReference;
  /** Absolute; the folder that relative paths of this service start from: the folder of the file that declares it. */
  readonly directory: string;
  readonly endpoints: readonly Endpoint[];
  readonly dependencies: readonly ServiceDependency[];
  /** Names of the workspace configuration groups that it declares (C-3). */
  readonly configurationGroups: readonly string[];
  /** Variables for the process, by name, in written order. */
  readonly environment: ReadonlyMap<string, Template>;
  readonly restart: RestartPolicy;
  /** Asks for an agent process of its own. */
  readonly isolate: boolean;
  readonly health?: Health<CommandProbe>;
  /** The suites as written (W-6). */
  readonly test?: Json;
  /** The agent's own settings, unjudged here: the agent's schema judges them. */
  readonly spec: { readonly [key: string]: Json };
  /** Where a part of `spec` stands, by JSON pointer (`''` is the whole). */
  readonly specPlace: (pointer: string) => FilePlace;
  readonly place: FilePlace;
}

export interface Module {
  readonly name: string;
  /** Absolute; nothing of the module lies outside (W-3). */
  readonly root: string;
  readonly services: readonly ServiceId[];
}

export interface Workspace {
  readonly name: string;
  /** Absolute folder of `workspace.skein.yaml`. */
  readonly root: string;
  /** Absolute path of `workspace.skein.yaml`. */
  readonly file: string;
  readonly modules: readonly Module[];
  /** In the order in which they are written. */
  readonly services: ReadonlyMap<ServiceId, Service>;
}
