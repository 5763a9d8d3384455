/**
 * The definitions of the three files (W-5): they judge what is read and generate the JSON Schemas that editors use. They
 * know form only; what needs the rest of the workspace (references, reach, order) is judged on the model.
 */
import * as z from 'zod';
import type { ModuleBody, ServiceBody, WorkspaceBody } from './bodies.ts';
import {
  anything,
  duration,
  either,
  flag,
  list,
  name,
  object,
  oneOf,
  path,
  positiveDuration,
  type RefusedKey,
  record,
  text,
  wholeNumber,
  written,
} from './vocabulary.ts';

export type FileKind = 'workspace' | 'module' | 'service';

/** JSON Schemas (draft 7, what YAML language servers read) of the three files. */
export function jsonSchemas(): Record<FileKind, object> {
  return {
    workspace: jsonSchemaOf(workspaceSchema, 'workspace.skein.yaml'),
    module: jsonSchemaOf(moduleSchema, 'module.skein.yaml'),
    service: jsonSchemaOf(serviceSchema, 'service.skein.yaml'),
  };
}

function jsonSchemaOf(schema: z.ZodType, title: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, { target: 'draft-7', io: 'input' });
  return { $schema, title, ...rest };
}

/** Values that are refused by name, by key, each with its sentence. */
export const refusedValues: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  [
    'visibility',
    new Map([
      [
        'module',
        '`visibility: module` is refused: write `private` (its own module only) or `internal` (every module of the workspace); ' +
          'who may reach an internal endpoint is derived from the dependencies that consumers declare',
      ],
    ]),
  ],
]);

function later(reason: string): RefusedKey {
  return { when: 'later', reason };
}

function never(reason: string): RefusedKey {
  return { when: 'never', reason };
}

/** When a probe runs. */
const timingShape = {
  interval: positiveDuration().optional(),
  timeout: positiveDuration().optional(),
  'success-threshold': wholeNumber(1, 1000).optional(),
  'failure-threshold': wholeNumber(1, 1000).optional(),
  'initial-delay': duration().optional(),
};

/** What is alive stays so until it fails: no row of successes decides anything. */
const { 'success-threshold': _, ...livenessTimingShape } = timingShape;
const livenessRefused = {
  'success-threshold': never(
    'is not written for `liveness`: one success ends a row of failures; only `failure-threshold` decides',
  ),
};

const endpointProbeShape = {
  path: text('a path that begins with `/`', /^\/\S*$/).optional(),
  method: oneOf('HEAD', 'GET').optional(),
  statuses: list(
    either(
      wholeNumber(100, 599, 'a status'),
      text('a status or a range such as `200-299`', /^[1-5]\d\d(-[1-5]\d\d)?$/),
      'a status or a range such as `200-299`',
    ),
    'statuses',
  ).optional(),
  headers: record(
    text('the name of a header', /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/),
    written(),
    'headers',
  ).optional(),
  'body-contains': text('text').optional(),
  services: list(
    text('a protobuf service such as `shop.v1.Orders`', /^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/),
    'protobuf services',
  ).optional(),
};

const endpointProbeSchema = object('a probe of an endpoint', { ...endpointProbeShape, ...timingShape });

const healthSchema = object('health of an endpoint', {
  ...endpointProbeShape,
  ...timingShape,
  readiness: endpointProbeSchema.optional(),
  liveness: object(
    'a liveness probe of an endpoint',
    { ...endpointProbeShape, ...livenessTimingShape },
    livenessRefused,
  ).optional(),
  startup: endpointProbeSchema.optional(),
});

const endpointSchema = object(
  'an endpoint',
  {
    name: name(),
    api: oneOf('http', 'grpc', 'rest', 'connect', 'tcp', 'udp').optional(),
    port: wholeNumber(1, 65_535).optional(),
    visibility: oneOf('private', 'internal', 'public').optional(),
    exposure: oneOf('public', 'none').optional(),
    secured: flag().optional(),
    health: healthSchema.optional(),
  },
  {
    'allow-modules': never(
      'is not authored: who may reach an endpoint is derived from the dependencies that consumers declare',
    ),
  },
);

const dependencySchema = object('a dependency', {
  name: name(),
  module: name().optional(),
  endpoints: list(name(), 'endpoint names').optional(),
  kind: oneOf('runtime', 'build', 'schema', 'completion', 'external').optional(),
  wait: oneOf('ready', 'started', 'completed').optional(),
});

const restartWord = oneOf('on-failure', 'always', 'never');

const restartSchema = either(
  restartWord,
  object('restart', {
    policy: restartWord.optional(),
    attempts: wholeNumber(0, 1_000_000).optional(),
    backoff: duration().optional(),
  }),
  '`on-failure`, `always`, `never` or a mapping of `policy`, `attempts` and `backoff`',
);

// biome-ignore lint/suspicious/noControlCharactersInRegex: no program can be given a NUL
const withoutNul = /^[^\u0000]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const wordsWithoutNul = /^[^\u0000]*[^\u0000\s][^\u0000]*$/;

const commandSchema = either(
  text('a command without NUL characters', wordsWithoutNul),
  list(text('a word without NUL characters', withoutNul), 'words').min(1, {
    error: 'a list of at least one word',
  }),
  'a command: text, or a list of words',
);

const commandProbeSchema = object('a probe of a service', { command: commandSchema, ...timingShape });

const agentExpected =
  'an agent: `name`, `publisher/name`, `publisher/name:version` or a path such as `./agents/x`';
const agentPattern = /^(\.{1,2}\/\S(.*\S)?|([a-z][a-z0-9-]*\/)?[a-z][a-z0-9-]*(:[^\s:/]+)?)$/;
const groupPattern = /^[a-z][a-z0-9-]{0,62}(\/[a-z][a-z0-9-]{0,62})*$/;

const serviceShape = {
  agent: text(agentExpected, agentPattern),
  kind: oneOf('service', 'job').optional(),
  endpoints: list(endpointSchema, 'endpoints').optional(),
  'service-dependencies': list(dependencySchema, 'dependencies').optional(),
  'workspace-configuration-dependencies': list(
    text('the name of a configuration group such as `flags` or `auth/frontend`', groupPattern),
    'configuration groups',
  ).optional(),
  environment: record(
    text('the name of a variable: a letter or `_`, then letters, digits and `_`', /^[A-Za-z_][A-Za-z0-9_]*$/),
    written(),
    'variables',
  ).optional(),
  restart: restartSchema.optional(),
  test: anything().optional(),
  isolate: flag().optional(),
  health: object('health of a service', {
    command: commandSchema.optional(),
    ...timingShape,
    readiness: commandProbeSchema.optional(),
    liveness: object(
      'a liveness probe of a service',
      { command: commandSchema, ...livenessTimingShape },
      livenessRefused,
    ).optional(),
    startup: commandProbeSchema.optional(),
  }).optional(),
  spec: record(text('text'), anything(), "the agent's settings").optional(),
};

const pathEntry = never('is not written in an entry: an entry that is a path is the path itself, as text');

const inlineService = object('a service', { name: name(), ...serviceShape }, { path: pathEntry });
const serviceEntry = either(path('the folder of a service'), inlineService, 'a path or a service');
const services = list(serviceEntry, 'services, each a path or a mapping');

const role = later('is not supported yet by this version');
const pin = later(
  'is not supported yet by this version: write the path of a module as text, or its services inline',
);

const inlineModule = object('a module', { name: name(), services }, { path: pin, git: pin, ref: pin, role });
const moduleEntry = either(path('the folder of a module'), inlineModule, 'a path or a module');

/** `service.skein.yaml`. */
export const serviceSchema: z.ZodType<ServiceBody> = object('a service file', {
  name: name().optional(),
  ...serviceShape,
});

/** `module.skein.yaml`. */
export const moduleSchema: z.ZodType<ModuleBody> = object(
  'a module file',
  { name: name().optional(), services: services.optional() },
  { role },
);

/** `workspace.skein.yaml`. */
export const workspaceSchema: z.ZodType<WorkspaceBody> = object(
  'a workspace file',
  {
    name: name(),
    services: services.optional(),
    modules: list(moduleEntry, 'modules, each a path or a mapping').optional(),
  },
  {
    role,
    environments: later('is not supported yet by this version; `local` exists without being declared'),
    profiles: later('is not supported yet by this version'),
    git: pin,
  },
);
