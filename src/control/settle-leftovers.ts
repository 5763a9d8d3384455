/** Finds what dead runs have left running, and stops it in the order of a teardown (T-8, T-11). */
import type { SkeinError } from '../errors/index.ts';
import type { Receipt } from '../gen/skein/control/v1/control_pb.js';
import {
  entriesOfWorkspace,
  isStillRunning,
  type RegistryEntry,
  readRegistry,
  registryFolder,
  settle,
  settlementFault,
} from '../processes/index.ts';
import { removeDeadSockets } from './dead-runs.ts';
import {
  beingOf,
  leftoverFaults,
  leftoverLayers,
  leftoverReceipt,
  ownerOf,
  type SettledLeftover,
} from './leftovers.ts';

/** The records of one workspace. */
export interface Leftovers {
  /** Absolute root of the workspace. */
  readonly root: string;
  /** Of dead runs. */
  readonly abandoned: readonly RegistryEntry[];
  /** Whose supervisor lives: they are its to stop. */
  readonly held: readonly RegistryEntry[];
}

export interface SettleLeftoversOptions {
  /** The layers in which the workspace's services are stopped; empty where that cannot be told. */
  readonly order: readonly (readonly string[])[];
  /** How long each group may take to end after its stop signal, before it is killed. */
  readonly timeoutMs: number;
  /** `module/service` of those alone; default: everything, agents too. */
  readonly services?: readonly string[];
  /** Ends the waits, with the signal's reason thrown. */
  readonly abort?: AbortSignal;
}

export interface LeftoversSettled {
  readonly receipt: Receipt;
  /** One for each group that may still run. */
  readonly faults: readonly SkeinError[];
}

/**
 * What is on record of a workspace.
 * @throws {SkeinError} SK1611; SK1613, SK1615 where the records cannot be read: then nothing is known, and nothing signalled
 */
export async function findLeftovers(root: string): Promise<Leftovers> {
  const entries = readRegistry(registryFolder(process.env));
  const own = entriesOfWorkspace(entries, root);
  const isHeld = await Promise.all(own.map((entry) => isOwnerAlive(entry, entries)));
  return {
    root,
    abandoned: own.filter((_, index) => !isHeld[index]),
    held: own.filter((_, index) => isHeld[index]),
  };
}

/** Records of this user, by workspace. */
export interface RecordedWorkspaces {
  /** Absolute root of each, in order. */
  readonly roots: readonly string[];
  /** One for each damaged record that does not say whose it is. */
  readonly faults: readonly SkeinError[];
}

/** @throws {SkeinError} SK1613, SK1615 as `findLeftovers` does */
export function recordedWorkspaces(): RecordedWorkspaces {
  const entries = readRegistry(registryFolder(process.env));
  const roots = entries.flatMap(({ record }) => record.reservation?.workspaceRoot ?? []);
  const nobodys = entries.filter(({ record }) => record.reservation === undefined);
  // Not settled: one that could not be read for a moment only may be that of a run which lives.
  const faults = nobodys.flatMap(
    (entry) => settlementFault({ entry, outcome: 'unproven', why: 'damaged', groups: [] }) ?? [],
  );
  return { roots: [...new Set(roots)].toSorted(), faults };
}

/**
 * Stops what dead runs have left, layer after layer. What is not proven is left running, with its record, and told. With
 * everything the sockets of dead runs go too.
 * @throws {SkeinError} SK1611, SK1613, SK1614, SK1615; SK1506, SK1517 for the sockets
 */
export async function settleLeftovers(
  { root, abandoned }: Leftovers,
  options: SettleLeftoversOptions,
): Promise<LeftoversSettled> {
  const wanted = (entries: readonly RegistryEntry[]): readonly RegistryEntry[] =>
    entries.filter((entry) => options.services?.includes(beingOf(entry) ?? '') ?? true);
  const first = await settleInLayers(wanted(abandoned), options, 0);
  // An agent that lived until now may have been about to start something.
  const done = new Set(first.filter(({ settlement }) => settlement.outcome !== 'starting').map(secretOf));
  const fresh = wanted((await findLeftovers(root)).abandoned).filter(({ secret }) => !done.has(secret));
  const last = Math.max(-1, ...first.map(({ layer }) => layer));
  const second = await settleInLayers(fresh, options, last + 1);
  const again = new Set(second.map(secretOf));
  const settled = [...first.filter((one) => !again.has(secretOf(one))), ...second];
  if (options.services === undefined) await removeDeadSockets(root);
  return { receipt: leftoverReceipt(settled), faults: leftoverFaults(settled) };
}

/** Layers count from `firstLayer` on. */
async function settleInLayers(
  leftovers: readonly RegistryEntry[],
  { order, timeoutMs, abort }: SettleLeftoversOptions,
  firstLayer: number,
): Promise<readonly SettledLeftover[]> {
  const settled: SettledLeftover[] = [];
  for (const [index, layer] of leftoverLayers(leftovers, order).entries()) {
    const ends = layer.map(async (entry) => {
      const beganMs = performance.now();
      const settlements = await settle([[entry]], { timeoutMs, ...(abort && { abort }) });
      const durationMs = performance.now() - beganMs;
      return settlements.map((settlement) => ({ settlement, layer: firstLayer + index, durationMs }));
    });
    settled.push(...(await Promise.all(ends)).flat());
  }
  return settled;
}

function secretOf({ settlement }: SettledLeftover): string {
  return settlement.entry.secret;
}

async function isOwnerAlive(entry: RegistryEntry, entries: readonly RegistryEntry[]): Promise<boolean> {
  const owner = ownerOf(entry, entries);
  return owner !== undefined && isStillRunning(owner);
}
