/** The contract in plain TypeScript: what an author of an agent is handed and hands back, without messages or enums. */

export type Api = 'http' | 'grpc' | 'rest' | 'connect' | 'tcp' | 'udp';
export type Visibility = 'private' | 'internal' | 'public';
export type Exposure = 'none' | 'public';
export type Access = 'native' | 'container' | 'public';
export type RuntimeContext = 'native' | 'container' | 'nix' | 'free';
export type ServiceKind = 'service' | 'job';

/** Who a service is, and in which world it runs. */
export interface Identity {
  readonly workspace: string;
  readonly module: string;
  readonly name: string;
  readonly environment: string;
  /** Empty outside a naming scope. */
  readonly namingScope: string;
  /** Empty where no named data set is asked for. */
  readonly fixture: string;
  readonly run: string;
}

export interface Endpoint {
  readonly name: string;
  readonly api: Api;
  readonly visibility: Visibility;
  /** `undefined` where the endpoint is not public. */
  readonly exposure: Exposure | undefined;
  readonly secured: boolean;
  /** Port that the workspace fixed; `undefined` where the choice is free. */
  readonly port: number | undefined;
  readonly grpcServices: readonly string[];
}

/** Where an endpoint can be reached from `access`. */
export interface Address {
  readonly access: Access;
  /** Name or IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

export interface Mapping {
  readonly endpoint: string;
  readonly addresses: readonly Address[];
}

export interface DependencyMappings {
  /** `module/service`. */
  readonly service: string;
  readonly mappings: readonly Mapping[];
}

export interface ConfigurationValue {
  readonly key: string;
  readonly value: string;
  readonly secret: boolean;
}

/** A named group of values. */
export interface Configuration {
  readonly group: string;
  readonly values: readonly ConfigurationValue[];
}

export interface DependencyConfigurations {
  /** `module/service`. */
  readonly service: string;
  readonly configurations: readonly Configuration[];
}

export interface Variable {
  readonly name: string;
  readonly value: string;
  /** Masked by value in all output of the service. */
  readonly secret: boolean;
}

/** Which tests; absent parts select everything. */
export interface TestSelection {
  readonly suite?: string;
  readonly file?: string;
  readonly testCase?: string;
  /** Regular expression on names. */
  readonly filter?: string;
}

export interface TestCase {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  readonly durationMs?: number;
  /** Why it failed or was skipped. */
  readonly message?: string;
  /** Relative to the service's folder. */
  readonly file?: string;
}

export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}

/** Something found in a source file. */
export interface Diagnostic {
  /** Relative to the service's folder. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1. */
  readonly column?: number;
  readonly severity: 'error' | 'warning' | 'info';
  readonly message: string;
}
