/** lsof's field output (`-F`): one field a line, told by its first character; see OUTPUT FOR OTHER PROGRAMS in lsof(8). */
import { isIPv6 } from 'node:net';
import type { Listener } from '../system.ts';

/** `t` is the address family and precedes `n`, the name: `*:8080`, `127.0.0.1:8080`, `[::1]:8080`. */
export function parseLsofListeners(text: string): readonly Listener[] {
  const listeners: Listener[] = [];
  let family: Listener['family'] = 'ipv4';
  for (const line of text.split('\n')) {
    const value = line.slice(1);
    if (line.startsWith('t')) family = value === 'IPv6' ? 'ipv6' : 'ipv4';
    const name = line.startsWith('n') ? /^(.*):(\d+)$/.exec(value) : null;
    if (name === null) continue;
    const [, host = '', port = ''] = name;
    listeners.push({ family, address: addressText(host, family), port: Number(port) });
  }
  return listeners;
}

function addressText(host: string, family: Listener['family']): string {
  if (host === '*') return family === 'ipv6' ? '::' : '0.0.0.0';
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return isIPv6(bare) ? bare.toLowerCase() : bare;
}

/** The first process listed. */
export function parseLsofPid(text: string): number | undefined {
  const match = /^p(\d+)$/m.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** Every process listed, ascending. */
export function parseLsofPids(text: string): readonly number[] {
  return [...text.matchAll(/^p(\d+)$/gm)].map(([, pid]) => Number(pid)).sort((a, b) => a - b);
}

/** The first name listed. */
export function parseLsofName(text: string): string | undefined {
  return /^n(.+)$/m.exec(text)?.[1];
}
