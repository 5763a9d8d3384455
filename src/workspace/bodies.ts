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
  readonly health?: Optional<CommandHealthBody>;
  readonly spec?: Optional<Readonly<Record<string, unknown>>>;
}

export type RestartWord = 'on-failure' | 'always' | 'never';

export interface RestartBody {
  readonly policy?: Optional<RestartWord>;
  readonly attempts?: Optional<number>;
  readonly backoff?: Optional<string>;
}

export interface CommandHealthBody {
  readonly command: string | List<string>;
  readonly timeout?: Optional<string>;
}

export interface EndpointBody {
  readonly name: string;
  readonly api?: Optional<Api>;
  readonly port?: Optional<number>;
  readonly visibility?: Optional<Visibility>;
  readonly exposure?: Optional<Exposure>;
  readonly secured?: Optional<boolean>;
  readonly health?: Optional<HealthBody>;
}

export interface HealthBody {
  readonly path?: Optional<string>;
  readonly method?: Optional<'HEAD' | 'GET'>;
  readonly statuses?: Optional<List<number | string>>;
  readonly headers?: Optional<Readonly<Record<string, string | number | boolean>>>;
  readonly 'body-contains'?: Optional<string>;
  readonly services?: Optional<List<string>>;
  readonly interval?: Optional<string>;
  readonly timeout?: Optional<string>;
  readonly 'success-threshold'?: Optional<number>;
  readonly 'failure-threshold'?: Optional<number>;
  readonly 'initial-delay'?: Optional<string>;
}

export interface DependencyBody {
  readonly name: string;
  readonly module?: Optional<string>;
  readonly endpoints?: Optional<List<string>>;
  readonly kind?: Optional<DependencyKind>;
  readonly wait?: Optional<Wait>;
}
