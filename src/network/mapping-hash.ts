/** Tells whether two sets of addresses are the same, whatever order they are in (N-7, N-9). */
import { hash } from 'node:crypto';
import type { NetworkMapping } from './mapping.ts';

/** SHA-256, in hexadecimal, of the set; neither the order of endpoints nor that of views is part of it. */
export function hashMappings(mappings: readonly NetworkMapping[]): string {
  const lines = mappings.flatMap(({ endpoint, instances }) =>
    instances.length === 0
      ? [JSON.stringify([endpoint])]
      : instances.map(({ access, host, port }) => JSON.stringify([endpoint, access, host, port])),
  );
  return hash('sha256', lines.sort().join('\n'), 'hex');
}
