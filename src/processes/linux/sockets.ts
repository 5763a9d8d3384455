/** Listening sockets, and who holds them. */
import { existsSync } from 'node:fs';
import type { Listener, PortHolder } from '../system.ts';
import { allPids, commandLine, descriptorsOfProcess, linkOfProcess, readRequired } from './proc.ts';
import { descendants } from './process-table.ts';
import { openSocketDiagnosis, type SocketDiagnosis } from './sock-diag.ts';
import { type ListeningSocket, parseTcpTable } from './tcp-table.ts';

/** As `SystemFacts.listeners`. */
export async function listeners(): Promise<readonly ListeningSocket[]> {
  diagnosis ??= openSocketDiagnosis();
  const ask = await diagnosis;
  return ask === undefined ? tabled() : ask();
}

let diagnosis: Promise<SocketDiagnosis | undefined> | undefined;

function tabled(): readonly ListeningSocket[] {
  const sockets = parseTcpTable(readRequired('/proc/net/tcp'));
  // A kernel without IPv6 has no second table.
  if (!existsSync('/proc/net/tcp6')) return sockets;
  return [...sockets, ...parseTcpTable(readRequired('/proc/net/tcp6'))];
}

/** As `SystemFacts.portHolder`. Of several holders the one with the lowest pid, who is as a rule their parent. */
export async function portHolder(port: number): Promise<PortHolder | undefined> {
  const sockets = (await listeners()).filter((socket) => socket.port === port);
  if (sockets.length === 0) return undefined;
  const links = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  const pid = allPids().find((candidate) => holds(candidate, links));
  if (pid === undefined) return { kind: 'hidden' };
  return { kind: 'process', pid, command: commandLine(pid), workingDirectory: linkOfProcess(pid, 'cwd') };
}

/** As `SystemFacts.holders`; looks where it is likely first, since it costs in proportion to the processes looked into. */
export function holders(sockets: readonly Listener[], suspects: readonly number[]): readonly number[] {
  const links = new Set(sockets.map(({ inode }) => `socket:[${inode}]`));
  for (const pids of [() => suspects, () => descendants(suspects), allPids]) {
    const found = pids().filter((pid) => holds(pid, links));
    if (found.length > 0) return found.toSorted((a, b) => a - b);
  }
  return [];
}

function holds(pid: number, links: ReadonlySet<string>): boolean {
  return descriptorsOfProcess(pid).some((descriptor) =>
    links.has(linkOfProcess(pid, `fd/${descriptor}`) ?? ''),
  );
}
