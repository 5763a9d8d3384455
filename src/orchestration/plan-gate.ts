/**
 * The plan gate: whether everything that a run will need can be had, asked before anything starts, so that afterwards
 * surprises are run-time faults and not mistakes in the workspace. All faults are reported at once.
 */
import { setMaxListeners } from 'node:events';
import type { AgentSession } from '../agents/host/index.ts';
import { validateSpec } from '../agents/host/index.ts';
import { checkReferences, referencesOf } from '../configuration/index.ts';
import { faultsOf, SkeinError, SkeinFaults } from '../errors/index.ts';
import type { EndpointId, Port, Service, ServiceId, Workspace } from '../workspace/index.ts';
import { realClock } from './clock.ts';
import { Proposals } from './proposals.ts';

export interface PlanGateOptions {
  readonly workspace: Workspace;
  /** Those that take part. */
  readonly services: readonly Service[];
  /** Those that are left out, each with the option that says so. */
  readonly excluded: ReadonlyMap<ServiceId, string>;
  /** Not started, and yet its environment is asked for (N-13). */
  readonly described?: Service;
  /** Those that are stopped before these are started (F-18). */
  readonly leaving?: readonly Service[];
  readonly proposals: Proposals;
  acquire(service: Service, signal: AbortSignal): Promise<AgentSession>;
}

/**
 * Passes, or names every fault: references, also to what is left out, variables that no process can be given, ports that
 * somebody else holds, agents that cannot be had, settings that their agents refuse.
 * @throws {SkeinFaults} of SK11xx, SK12xx, SK13xx, SK1410, SK1413
 */
export async function planGate(options: PlanGateOptions, signal: AbortSignal): Promise<void> {
  const { workspace, services, proposals, described } = options;
  const readers = described === undefined ? services : [...services, described];
  // Every service's wait for its agent listens.
  setMaxListeners(0, signal);
  const [agents, taken] = await Promise.all([
    Promise.all(services.map((service) => agentFaults(service, options, signal))),
    proposals.prepare(services, signal, options.leaving),
    described && proposals.settle(described),
  ]);
  const faults = [
    ...checkReferences(workspace, readers),
    ...readers.flatMap((service) => referenceFaults(service, options)),
    ...readers.flatMap(environmentFaults),
    ...distinct(agents.flat()),
    ...taken,
  ];
  if (faults.length > 0) throw new SkeinFaults(faults);
}

/**
 * What can be told of a workspace that does not load: the ports of its readable services that somebody else holds.
 * References and settings are not judged: what they mean may be among the faults.
 */
export async function foreseeableFaults(
  readable: Workspace,
  overrides: ReadonlyMap<EndpointId, Port>,
  signal: AbortSignal,
): Promise<readonly SkeinError[]> {
  try {
    const proposals = new Proposals({ workspace: readable, overrides, temporary: false, clock: realClock });
    return await proposals.prepare([...readable.services.values()], signal);
  } catch (error) {
    // Two endpoints fixed to one port: of those in the file the reader has said so with its own position.
    if (error instanceof SkeinError && error.code === 'SK1201') return [];
    throw error;
  }
}

/** Of those to what is left out: a configuration has nobody to expose it, an address may be known all the same (C-9). */
function referenceFaults(service: Service, { excluded, proposals }: PlanGateOptions): readonly SkeinError[] {
  return referencesOf(service).flatMap(({ variable, reference }) => {
    const option = excluded.get(reference.service);
    if (option === undefined) return [];
    if (reference.kind === 'endpoint' && proposals.areKnownOfOthers) return [];
    const lacking =
      reference.kind === 'endpoint'
        ? 'has no known address with --temporary-ports'
        : 'exposes no configuration';
    return [
      new SkeinError(
        'SK1413',
        `${service.id} cannot be given ${variable}: ${reference.written}: ${reference.service} is left out by ${option}, and so ${lacking}`,
        { place: reference.place },
      ),
    ];
  });
}

/** Of the values as they are written; their names the reader has judged. */
function environmentFaults({ id, environment }: Service): readonly SkeinError[] {
  return [...environment].flatMap(([name, { text, place }]) =>
    text.includes('\0')
      ? [
          new SkeinError('SK1410', `${id} cannot be given ${name}: the value holds a NUL character`, {
            place,
          }),
        ]
      : [],
  );
}

async function agentFaults(
  service: Service,
  { acquire }: PlanGateOptions,
  signal: AbortSignal,
): Promise<readonly SkeinError[]> {
  try {
    const session = await acquire(service, signal);
    const schema = session.information.specSchema;
    return schema === undefined ? [] : validateSpec(service, schema);
  } catch (error) {
    if (error instanceof SkeinError) return faultsOf(error);
    throw error;
  }
}

/** Services that share an agent share its launch, and its fault is one. */
function distinct(faults: readonly SkeinError[]): readonly SkeinError[] {
  return [...new Set(faults)];
}
