/** What the files hold once their form is judged: as written, without defaults, references not yet followed. */
import type { Api, DependencyKind, Exposure, ServiceKind, Visibility, Wait } from './model.ts';

type Optional<T> = T | undefined;

/** A hole (`undefined`) stands for an item that was wrong and is reported already; the others keep their positions. */
export type List<Item> = readonly Optional<Item>[];

export interface WorkspaceBody {
  readonly name: string;
  readonly services?: Optional<List<string | ServiceBody>>;
  readonly modules?: Optional<List<string | ModuleBody>>;
}

export interface ModuleBody {
  /** Absent only in a file: the folder's name stands for it. */
  readonly name?: Optional<string>;
  readonly services?: Optional<List<string | ServiceBody>>;
}

export interface ServiceBody {
  /** Absent only in a file: the folder's name stands for it. */
  readonly name?: Optional<string>;
  readonly agent: string;
  readonly kind?: Optional<ServiceKind>;
  readonly endpoints?: Optional<List<EndpointBody>>;
  readonly 'service-dependencies'?: Optional<List<DependencyBody>>;
  readonly 'workspace-configuration-dependencies'?: Optional<List<string>>;
  readonly environment?: Optional<Readonly<Record<string, string | number | boolean>>>;
  readonly restart?: Optional<RestartWord | RestartBody>;
  readonly test?: unknown;
  readonly isolate?: Optional<boolean>;
  readonly health?: Optional<ServiceHealthBody>;
  readonly spec?: Optional<Readonly<Record<string, unknown>>>;
}

export type RestartWord = 'on-failure' | 'always' | 'never';

export interface RestartBody {
  readonly policy?: Optional<RestartWord>;
  readonly attempts?: Optional<number>;
  readonly backoff?: Optional<string>;
}

export interface ProbeTimingBody {
  readonly interval?: Optional<string>;
  readonly timeout?: Optional<string>;
  readonly 'success-threshold'?: Optional<number>;
  readonly 'failure-threshold'?: Optional<number>;
  readonly 'initial-delay'?: Optional<string>;
}

export interface CommandProbeBody extends ProbeTimingBody {
  readonly command: string | List<string>;
}

/** Flat keys are the readiness probe; `command` is absent where only the others are written. */
export interface ServiceHealthBody extends ProbeTimingBody {
  readonly command?: Optional<string | List<string>>;
  readonly readiness?: Optional<CommandProbeBody>;
  readonly liveness?: Optional<CommandProbeBody>;
  readonly startup?: Optional<CommandProbeBody>;
}

export interface EndpointBody {
  readonly name: string;
  readonly api?: Optional<Api>;
  readonly port?: Optional<number>;
  readonly visibility?: Optional<Visibility>;
  readonly exposure?: Optional<Exposure>;
  readonly secured?: Optional<boolean>;
  readonly health?: Optional<EndpointHealthBody>;
}

export interface EndpointProbeBody extends ProbeTimingBody {
  readonly path?: Optional<string>;
  readonly method?: Optional<'HEAD' | 'GET'>;
  readonly statuses?: Optional<List<number | string>>;
  readonly headers?: Optional<Readonly<Record<string, string | number | boolean>>>;
  readonly 'body-contains'?: Optional<string>;
  readonly services?: Optional<List<string>>;
}

/** Flat keys are the readiness probe. */
export interface EndpointHealthBody extends EndpointProbeBody {
  readonly readiness?: Optional<EndpointProbeBody>;
  readonly liveness?: Optional<EndpointProbeBody>;
  readonly startup?: Optional<EndpointProbeBody>;
}

export interface DependencyBody {
  readonly name: string;
  readonly module?: Optional<string>;
  readonly endpoints?: Optional<List<string>>;
  readonly kind?: Optional<DependencyKind>;
  readonly wait?: Optional<Wait>;
}
