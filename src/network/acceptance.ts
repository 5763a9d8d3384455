/**
 * Judges what an agent answers at Init against what was proposed (N-6), and puts what stands into the order of the
 * proposal (N-7). Pure: nothing is published before the whole answer stands.
 */
import { type ErrorCode, SkeinError, SkeinFaults } from '../errors/index.ts';
import type { EndpointId, Port, ServiceId } from '../workspace/index.ts';
import { isLoopback, isWellFormedHost } from './host.ts';
import { type Access, accesses, authorityOf, type NetworkInstance, type NetworkMapping } from './mapping.ts';

/** A mapping as it came over the wire, nothing of it judged yet. */
export interface AnsweredMapping {
  /** Name of the endpoint within its service. */
  readonly endpoint: string;
  readonly instances: readonly AnsweredInstance[];
}

export interface AnsweredInstance {
  /** `undefined` where the agent did not say, or said a view that skein does not know. */
  readonly access: Access | undefined;
  readonly host: string;
  readonly port: number;
}

export interface Answer {
  readonly service: ServiceId;
  readonly proposed: readonly NetworkMapping[];
  readonly answered: readonly AnsweredMapping[];
  /**
   * Everything that skein would propose, which on a reload is more than `proposed` where a view was dropped before
   * (N-9). Default: `proposed`.
   */
  readonly proposable?: readonly NetworkMapping[];
}

export interface Accepted {
  /** In the order of the proposal; the views of each endpoint native, container, public. */
  readonly mappings: readonly NetworkMapping[];
  /** For the log, at WARN (N-8). */
  readonly warnings: readonly string[];
}

/**
 * The set that dependents, readiness, views and exported environments take from here on.
 * An echoed address stands as it is; one that was added or altered is judged (N-6). No answer at all accepts the
 * proposal with a warning; a partial answer is never filled in (N-8).
 * @throws {SkeinError} SK1220 (other endpoints), SK1221 (an address that cannot stand), SK1222 (a view twice, or one that
 *   skein would not propose), SK1223 (no address left); all of them together when there are several.
 */
export function accept(answer: Answer): Accepted {
  const { service, proposed, answered } = answer;
  if (answered.length === 0) return { mappings: inOrder(proposed), warnings: assumed(service, proposed) };
  const instancesOf = new Map<string, AnsweredInstance[]>();
  for (const mapping of answered) {
    const instances = instancesOf.get(mapping.endpoint) ?? [];
    instances.push(...mapping.instances);
    instancesOf.set(mapping.endpoint, instances);
  }

  const faults = unproposed(answer, instancesOf);
  const proposable = new Map(
    (answer.proposable ?? proposed).map((mapping) => [mapping.endpoint, mapping.instances]),
  );
  const mappings: NetworkMapping[] = [];
  for (const mapping of proposed) {
    const instances = instancesOf.get(nameOf(mapping.endpoint));
    if (instances === undefined) {
      faults.push(
        fault('SK1220', answer, mapping.endpoint, 'the endpoint', authorities(mapping.instances), 'nothing'),
      );
      continue;
    }
    const judged = judge(answer, mapping, instances, proposable.get(mapping.endpoint) ?? []);
    faults.push(...judged.faults);
    mappings.push({ endpoint: mapping.endpoint, instances: judged.instances });
  }
  if (faults.length === 1 && faults[0] !== undefined) throw faults[0];
  if (faults.length > 0) throw new SkeinFaults(faults);
  return { mappings: inOrder(mappings), warnings: [] };
}

function unproposed(
  answer: Answer,
  instancesOf: ReadonlyMap<string, readonly AnsweredInstance[]>,
): SkeinError[] {
  const known = new Set(answer.proposed.map((mapping) => nameOf(mapping.endpoint)));
  return [...instancesOf]
    .filter(([name]) => !known.has(name))
    .map(([name, instances]) =>
      name === ''
        ? fault(
            'SK1220',
            answer,
            undefined,
            'the endpoint',
            'a name for each mapping',
            `${authorities(instances)} without one`,
          )
        : fault('SK1220', answer, name, 'the endpoint', [...known].join(', ') || 'no endpoint', name),
    );
}

interface Judged {
  readonly instances: readonly NetworkInstance[];
  readonly faults: readonly SkeinError[];
}

function judge(
  answer: Answer,
  proposed: NetworkMapping,
  answered: readonly AnsweredInstance[],
  proposable: readonly NetworkInstance[],
): Judged {
  const { endpoint } = proposed;
  if (answered.length === 0)
    return {
      instances: [],
      faults: [fault('SK1223', answer, endpoint, 'the addresses', authorities(proposed.instances), 'none')],
    };
  const instances: NetworkInstance[] = [];
  const faults: SkeinError[] = [];
  const seen = new Set<Access>();
  for (const instance of answered) {
    const { access, host, port } = instance;
    if (access === undefined) {
      faults.push(
        fault(
          'SK1221',
          answer,
          endpoint,
          'the view',
          viewsOf(proposed.instances),
          `none for ${authorityOf(instance)}`,
        ),
      );
      continue;
    }
    const offered = proposed.instances.find((candidate) => candidate.access === access);
    if (seen.has(access))
      faults.push(
        fault(
          'SK1222',
          answer,
          endpoint,
          `the ${access} view`,
          'at most one address',
          `another one, ${authorityOf(instance)}`,
        ),
      );
    seen.add(access);
    const echoed = offered !== undefined && offered.host === host && offered.port === port;
    if (!echoed) faults.push(...alterations(answer, endpoint, { access, host, port }, offered, proposable));
    instances.push({ access, host, port: port as Port });
  }
  return { instances, faults };
}

/** What is wrong with an address that is no echo. */
function alterations(
  answer: Answer,
  endpoint: EndpointId,
  altered: { readonly access: Access; readonly host: string; readonly port: number },
  offered: NetworkInstance | undefined,
  proposable: readonly NetworkInstance[],
): SkeinError[] {
  const { access, host, port } = altered;
  if (!proposable.concat(offered ?? []).some((candidate) => candidate.access === access)) {
    const allowed = proposable.length === 0 ? 'no view' : viewsOf(proposable);
    return [fault('SK1222', answer, endpoint, `the ${access} view`, allowed, authorityOf(altered))];
  }
  if (access === 'public') {
    // What the world outside reaches is skein's to say, not the agent's.
    const open = proposable.filter((candidate) => candidate.access === 'public');
    if (open.some((candidate) => candidate.host === host && candidate.port === port)) return [];
    if (isWellFormedHost(host) && isPort(port))
      return [fault('SK1222', answer, endpoint, 'the public view', authorities(open), authorityOf(altered))];
  }
  const faults: SkeinError[] = [];
  const field = (name: 'host' | 'port', reason: string): void => {
    const shown = name === 'host' ? quoted(host) : String(port);
    const expected = offered === undefined ? 'not there' : String(offered[name]);
    faults.push(
      fault('SK1221', answer, endpoint, `${name} of the ${access} view`, expected, `${shown}, ${reason}`),
    );
  };
  if (host.trim() === '') field('host', 'which is blank');
  else if (!isWellFormedHost(host)) field('host', 'which is no host name or IP address');
  else if (access === 'container' && isLoopback(host))
    field('host', 'which inside a container is the container itself');
  if (!isPort(port)) field('port', port === 0 ? 'which is blank' : 'which is no port from 1 to 65535');
  return faults;
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port >= 1 && port <= 65_535;
}

/** One wording for every refusal: endpoint, view and field, proposed, answered (N-6). */
function fault(
  code: ErrorCode,
  answer: Answer,
  endpoint: string | undefined,
  field: string,
  proposed: string,
  answered: string,
): SkeinError {
  const subject =
    endpoint === undefined
      ? answer.service
      : endpoint.includes('/')
        ? endpoint
        : `${answer.service}/${endpoint}`;
  return new SkeinError(
    code,
    `the agent of ${answer.service} answered Init with addresses that cannot stand: ${subject}: ${field}: ` +
      `proposed ${proposed}, answered ${answered}`,
    {
      place: { service: answer.service, phase: 'init', ...(endpoint !== undefined && { endpoint: subject }) },
    },
  );
}

function assumed(service: ServiceId, proposed: readonly NetworkMapping[]): string[] {
  if (proposed.length === 0) return [];
  const addresses = proposed.map(
    (mapping) => `${nameOf(mapping.endpoint)} at ${authorities(mapping.instances)}`,
  );
  return [`the agent of ${service} answered no addresses; assuming those proposed: ${addresses.join('; ')}`];
}

function inOrder(mappings: readonly NetworkMapping[]): readonly NetworkMapping[] {
  return mappings.map(({ endpoint, instances }) => ({
    endpoint,
    instances: [...instances].sort((a, b) => accesses.indexOf(a.access) - accesses.indexOf(b.access)),
  }));
}

function nameOf(endpoint: EndpointId): string {
  return endpoint.slice(endpoint.lastIndexOf('/') + 1);
}

function authorities(instances: readonly AnsweredInstance[]): string {
  if (instances.length === 0) return 'no address';
  return instances.map((instance) => `${authorityOf(instance)} (${instance.access ?? 'no view'})`).join(', ');
}

function viewsOf(instances: readonly NetworkInstance[]): string {
  return instances.map((instance) => instance.access).join(', ');
}

function quoted(host: string): string {
  return JSON.stringify(host);
}
