/**
 * The environment of a service's process: what skein delivers, the plain names that a program already expects, and what
 * the person at the keyboard adds. What was asked for arrives, or is an error (C-11).
 */
import { faultsOf, SkeinError, SkeinFaults } from '../errors/index.ts';
import { authorityOf, urlOf } from '../network/index.ts';
import { isSecret } from '../secrets/index.ts';
import type { Template } from '../workspace/index.ts';
import { addressOf, carriersOf, instanceFor, type RunFacts, type Sources } from './carriers.ts';
import { faultOf } from './check.ts';
import { lookUp } from './exposed.ts';
import {
  type ConfigurationReference,
  type EndpointReference,
  parseTemplate,
  type Reference,
  type SelfReference,
} from './reference.ts';
import { selectEndpoint } from './select.ts';
import { carrierPrefix, type Variable } from './variable.ts';

export interface EnvironmentSources extends Sources {
  readonly run: RunFacts;
  /** From the caller (C-17); every other source wins over it. */
  readonly caller?: readonly Variable[];
  /** From `--set` (C-14), neither interpolated nor checked; wins over every other source. */
  readonly set?: readonly Variable[];
}

export interface ResolvedEnvironment {
  /** Each name once. */
  readonly variables: readonly Variable[];
  /** For the log, at WARN. */
  readonly warnings: readonly string[];
}

/**
 * Whose value wins for one name, weakest first: the caller's, the carriers, the service's `environment` map, `--set`.
 * @throws {SkeinError} the references' own faults (SK1101 to SK1108), SK1110 (no value), SK1111 to SK1113 (names), SK1230
 *   and SK1231 (addresses that cannot be judged); all of them together when there are several.
 */
export function resolveEnvironment(sources: EnvironmentSources): ResolvedEnvironment {
  const faults: SkeinError[] = [];
  const carriers = gather(faults, () => carriersOf(sources, sources.run));
  const plain: Variable[] = [];
  for (const [name, template] of sources.service.environment) {
    const resolved = gather(faults, () => resolveVariable(sources, name, template));
    if (resolved !== undefined) plain.push(resolved);
  }
  if (faults.length === 1 && faults[0] !== undefined) throw faults[0];
  if (faults.length > 0) throw new SkeinFaults(faults);
  const variables = new Map<string, Variable>();
  for (const layer of [sources.caller ?? [], carriers?.variables ?? [], plain, sources.set ?? []])
    for (const variable of layer) variables.set(variable.name, variable);
  return { variables: [...variables.values()], warnings: carriers?.warnings ?? [] };
}

function resolveVariable(sources: Sources, name: string, template: Template): Variable {
  if (name.startsWith(carrierPrefix))
    throw new SkeinError(
      'SK1113',
      `${sources.service.id} sets ${name}, and names beginning with ${carrierPrefix} are skein's own`,
      { place: template.place },
    );
  return { name, ...resolveTemplate(sources, name, template) };
}

/** A value, and whether it must be masked. */
export type Resolved = Pick<Variable, 'value' | 'secret'>;

/**
 * The template with each reference replaced by its value. The whole is secret where a part of it is, where `name` is
 * credential-shaped, or where it has become a URL with a password (C-2). `name` is the variable that it is for.
 * @throws {SkeinError} SK1101 to SK1108 and SK1110, all together when there are several.
 */
export function resolveTemplate(sources: Sources, name: string, template: Template): Resolved {
  const faults: SkeinError[] = [];
  let value = '';
  let secret = false;
  for (const piece of parseTemplate(template)) {
    const part =
      piece.kind === 'text'
        ? { value: piece.text, secret: false }
        : gather(faults, () => resolveReference(sources, name, piece));
    value += part?.value ?? '';
    secret ||= part?.secret === true;
  }
  if (faults.length === 1 && faults[0] !== undefined) throw faults[0];
  if (faults.length > 0) throw new SkeinFaults(faults);
  return { value, secret: isSecret({ key: name, value, marked: secret }) };
}

/** What `work` gives; its expected faults are added to `faults` instead of being thrown. */
function gather<Result>(faults: SkeinError[], work: () => Result): Result | undefined {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    faults.push(...faultsOf(error));
    return undefined;
  }
}

function resolveReference(sources: Sources, variable: string, reference: Reference): Resolved {
  const fault = faultOf(sources.workspace, sources.service, variable, reference);
  if (fault !== undefined) throw fault;
  const outcome =
    reference.kind === 'configuration' ? configured(sources, reference) : addressed(sources, reference);
  if (typeof outcome !== 'string') return outcome;
  const message = `${sources.service.id} cannot be given ${variable}: ${reference.written}: ${outcome}`;
  throw new SkeinError('SK1110', message, { place: reference.place });
}

/** A text is the reason why there is no value. */
type Outcome = Resolved | string;

function configured(sources: Sources, reference: ConfigurationReference): Outcome {
  const configurations = sources.configurationsOf(reference.service);
  if (configurations === undefined) return `${reference.service} is not part of this run`;
  const found = lookUp(configurations, reference.path);
  if (found.kind === 'missing') return `of ${reference.service}, ${found.reason}`;
  return { value: found.value.value, secret: found.value.secret };
}

function addressed(sources: Sources, reference: EndpointReference | SelfReference): Outcome {
  const { workspace, service, access } = sources;
  const own = reference.kind === 'self' || reference.service === service.id;
  const producer = own ? service : workspace.services.get(reference.service);
  if (producer === undefined) return 'there is no such service';
  const mappings = own
    ? sources.selfMappings
    : (sources.mappingsOf(producer.id) ?? sources.elsewhere?.(producer.id));
  if (mappings === undefined) return `${producer.id} is not part of this run`;
  const selection = selectEndpoint(reference, producer, service.module);
  if (selection.kind === 'refused') return selection.reason;
  const { endpoint } = selection;
  const mapping = mappings.find((candidate) => candidate.endpoint === endpoint.id);
  if (mapping === undefined) return `${endpoint.id} has no address in this run`;
  const instance = instanceFor(mapping, access);
  if (instance === undefined) {
    const views = mapping.instances.map((candidate) => candidate.access).join(', ') || 'no view';
    return `${endpoint.id} has no ${access} address; it is served as ${views}`;
  }
  const values = {
    host: () => instance.host,
    port: () => String(instance.port),
    authority: () => authorityOf(instance),
    url: () => urlOf(endpoint, instance),
  };
  return {
    value: reference.part === undefined ? addressOf(endpoint, instance) : values[reference.part](),
    secret: false,
  };
}
