/**
 * What dead runs have left running, by the records of process groups (T-8): whose it is, in which order it is stopped,
 * and the receipt of that. Pure; `settle-leftovers.ts` asks the system and acts.
 */
import { create } from '@bufbuild/protobuf';
import { SkeinError } from '../errors/index.ts';
import { type Receipt, ReceiptSchema } from '../gen/skein/control/v1/control_pb.js';
import {
  type ProcessIdentity,
  type RegistryEntry,
  type Settlement,
  settlementFault,
} from '../processes/index.ts';
import type { Workspace } from '../workspace/index.ts';

/**
 * Who answers for a group while it lives: the supervisor that has started the agent, also for what the agent has started.
 * `undefined` where the record does not say.
 */
export function ownerOf(
  { record }: RegistryEntry,
  entries: readonly RegistryEntry[],
): ProcessIdentity | undefined {
  const { reservation } = record;
  if (reservation === undefined || reservation.purpose.kind === 'agent') return reservation?.registrar;
  const agent = entries.find(({ secret }) => secret === reservation.parent)?.record.reservation;
  return agent?.purpose.kind === 'agent' ? agent.registrar : reservation.registrar;
}

/** `module/service`, or `agent publisher/name`; `undefined` where the record does not say. */
export function beingOf({ record }: RegistryEntry): string | undefined {
  const purpose = record.reservation?.purpose;
  if (purpose === undefined) return undefined;
  return purpose.kind === 'service' ? purpose.service : `agent ${purpose.agent}`;
}

/**
 * The layers in which leftovers of one workspace are stopped (T-1), none empty: its services, consumers first; then those
 * that it does not have any more; then agents, which might else start something again. The builds and other commands of a
 * service go with it. `order`: the layers of the workspace's services; empty where it cannot be read.
 */
export function leftoverLayers(
  leftovers: readonly RegistryEntry[],
  order: readonly (readonly string[])[],
): readonly (readonly RegistryEntry[])[] {
  const services = leftovers.filter((entry) => entry.record.reservation?.purpose.kind === 'service');
  const known = order.map((ids) => services.filter((entry) => ids.includes(beingOf(entry) ?? '')));
  const placed = new Set(known.flat());
  const unknown = services.filter((entry) => !placed.has(entry));
  const others = leftovers.filter((entry) => !services.includes(entry));
  return [...known, unknown, others].filter((layer) => layer.length > 0);
}

/**
 * The services that a person names, `module/service` or a bare name that is unique among those of the workspace and those
 * on record.
 * @throws {SkeinError} SK1031 (none), SK1032 (several; all are named)
 */
export function nameLeftovers(
  written: readonly string[],
  leftovers: readonly RegistryEntry[],
  workspace: Pick<Workspace, 'services'> | undefined,
): readonly string[] {
  const recorded = leftovers.filter((entry) => entry.record.reservation?.purpose.kind === 'service');
  const ids = new Set([
    ...(workspace?.services.keys() ?? []),
    ...recorded.flatMap((entry) => beingOf(entry) ?? []),
  ]);
  return written.map((name) => nameOne(name, ids));
}

function nameOne(name: string, ids: ReadonlySet<string>): string {
  if (ids.has(name)) return name;
  const [only, ...others] = [...ids].filter((id) => id.endsWith(`/${name}`));
  if (only === undefined)
    throw new SkeinError(
      'SK1031',
      `neither the workspace nor a record of what runs has a service \`${name}\``,
    );
  if (others.length === 0) return only;
  throw new SkeinError('SK1032', `\`${name}\` names several services: ${[only, ...others].join(', ')}`, {
    remedy: `Write one of them with its module: ${[only, ...others].join(' or ')}.`,
  });
}

/** What became of one group, in which layer, and how long that took. */
export interface SettledLeftover {
  readonly settlement: Settlement;
  readonly layer: number;
  readonly durationMs: number;
}

/**
 * The receipt of a stop (T-3): one resource for each service or agent, with the worst that befell a group of it. What had
 * ended before is not in it, and neither is a record that does not say whose it is.
 */
export function leftoverReceipt(settled: readonly SettledLeftover[]): Receipt {
  const beings = new Map<string, SettledLeftover[]>();
  for (const one of settled) {
    const id = beingOf(one.settlement.entry);
    if (id === undefined || one.settlement.outcome === 'gone') continue;
    beings.set(id, [...(beings.get(id) ?? []), one]);
  }
  const layers = [...new Set([...beings.values()].flatMap((ones) => layerOf(ones)))].toSorted(
    (a, b) => a - b,
  );
  const resources = [...beings].map(([id, ones]) => ({
    id,
    layer: layers.indexOf(layerOf(ones)),
    outcome: worst(ones.map(({ settlement }) => outcomeOf(settlement))),
    durationMs: Math.round(Math.max(...ones.map(({ durationMs }) => durationMs))),
    error: ones.flatMap(({ settlement }) => errorOf(settlement) ?? []).join('; '),
  }));
  return create(ReceiptSchema, {
    operation: 'stop',
    layers: layers.length,
    resources: resources.toSorted((one, other) => one.layer - other.layer),
  });
}

/** One error for each group that may still run. */
export function leftoverFaults(settled: readonly SettledLeftover[]): readonly SkeinError[] {
  return settled.flatMap(({ settlement }) => settlementFault(settlement) ?? []);
}

function layerOf(ones: readonly SettledLeftover[]): number {
  return Math.min(...ones.map(({ layer }) => layer));
}

/** From the best to the worst. */
const outcomes = ['stopped', 'forced', 'failed', 'timed-out'] as const;
type Outcome = (typeof outcomes)[number];

function worst(met: readonly Outcome[]): Outcome {
  return outcomes.findLast((outcome) => met.includes(outcome)) ?? 'stopped';
}

function outcomeOf({ outcome }: Settlement): Outcome {
  switch (outcome) {
    case 'gone':
    case 'stopped':
      return 'stopped';
    case 'forced':
    case 'timed-out':
      return outcome;
    case 'starting':
    case 'strayed':
    case 'unproven':
    case 'failed':
      return 'failed';
  }
}

function errorOf(settlement: Settlement): string | undefined {
  switch (settlement.outcome) {
    case 'forced':
      return 'it did not stop by itself, and was killed';
    case 'starting':
      return 'a process that lives is about to start it';
    default:
      return settlementFault(settlement)?.message;
  }
}
