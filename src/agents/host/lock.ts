/**
 * `skein.lock`, next to the workspace file: which agent each reference led to, its version and its digest. A
 * program that changed while its version did not is refused. The functions are pure but for the read and the write.
 */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { SkeinError } from '../../errors/index.ts';
import { describeFound, type Found, type ResolvedAgent } from './resolved.ts';

const entrySchema = z.strictObject({
  found: z.enum(['path', 'agent-path', 'built-in', 'package', 'executable']),
  version: z.string(),
  digests: z.record(z.string(), z.string().regex(/^sha256:[0-9a-f]{64}$/)).optional(),
});

const lockSchema = z.strictObject({ lock: z.literal(1), agents: z.record(z.string(), entrySchema) });

/** What is locked for one agent; `digests` are by platform (`linux-x64`), for programs differ from one to the other. */
export interface LockedAgent {
  readonly found: Found['kind'];
  readonly version: string;
  readonly digests?: Readonly<Record<string, string>> | undefined;
}

/** By the agent's identity. */
export type AgentLock = ReadonlyMap<string, LockedAgent>;

const platform = `${process.platform}-${process.arch}`;

/** What `file` locks; empty where there is no file. @throws {SkeinError} SK1303 */
export async function readAgentLock(file: string): Promise<AgentLock> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return new Map();
    throw unusable(file, error);
  }
  try {
    return new Map(Object.entries(lockSchema.parse(JSON.parse(text)).agents));
  } catch (error) {
    throw unusable(file, error);
  }
}

/**
 * Judges a resolved agent of a known version by the lock; what is not locked is accepted.
 * @throws {SkeinError} SK1304 when the program changed and its version did not
 */
export function verifyLocked(lock: AgentLock, agent: ResolvedAgent, version: string): void {
  const locked = lock.get(agent.identity);
  const digest = locked?.digests?.[platform];
  if (locked === undefined || digest === undefined || agent.digest === undefined) return;
  if (locked.version !== version || digest === agent.digest) return;
  throw new SkeinError(
    'SK1304',
    `the agent ${agent.identity}, ${describeFound(agent.found)}, changed while its version did not: skein.lock has ${version} with ${digest}, this one is ${agent.digest}`,
    { ...(agent.place && { place: agent.place }) },
  );
}

/** The lock with this agent in it; the same object where nothing changes. */
export function lockAgent(lock: AgentLock, agent: ResolvedAgent, version: string): AgentLock {
  const before = lock.get(agent.identity);
  const entry = entryOf(agent, version, before);
  if (before !== undefined && JSON.stringify(before) === JSON.stringify(entry)) return lock;
  return new Map([...lock, [agent.identity, entry]]);
}

/** Writes the whole lock; a reader sees the old one or the new one. @throws {SkeinError} SK1303 */
export async function writeAgentLock(file: string, lock: AgentLock): Promise<void> {
  const agents = Object.fromEntries([...lock].sort(([a], [b]) => (a < b ? -1 : 1)));
  const temporary = `${file}.${process.pid}`;
  try {
    await writeFile(temporary, `${JSON.stringify({ lock: 1, agents }, null, 2)}\n`);
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw new SkeinError('SK1303', `${file} cannot be written`, { cause: error });
  }
}

function entryOf(agent: ResolvedAgent, version: string, before: LockedAgent | undefined): LockedAgent {
  const entry: LockedAgent = { found: agent.found.kind, version };
  if (agent.digest === undefined) return entry;
  const kept = before?.version === version ? before.digests : undefined;
  return { ...entry, digests: { ...kept, [platform]: agent.digest } };
}

function unusable(file: string, cause: unknown): SkeinError {
  return new SkeinError('SK1303', `${file} cannot be read as a lock of agents`, {
    place: { file, line: 1, column: 1 },
    cause,
  });
}
