/** Which server this agent has started on the data, so that a later one can prove whose it is (T-7). */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProcessIdentity, processIdentity } from '../../../../processes/index.ts';

export interface ServerRecord {
  readonly server: ProcessIdentity;
  /** The agent that started it. */
  readonly agent: ProcessIdentity;
}

/** `kept`: folder of the agent's own notes. A server that is gone already is not noted. */
export async function noteServer(kept: string, pid: number): Promise<void> {
  const [server, agent] = await Promise.all([processIdentity(pid), processIdentity(process.pid)]);
  if (server === undefined || agent === undefined) return;
  const record: ServerRecord = { server, agent };
  const file = join(kept, 'server.json');
  writeFileSync(`${file}.new`, JSON.stringify(record), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

export function notedServer(kept: string): ServerRecord | undefined {
  const file = join(kept, 'server.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as ServerRecord) : undefined;
}
