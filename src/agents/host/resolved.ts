/** What finding an agent gives: the words that resolving, locking, launching and the host share. */
import type { Program } from '../program/index.ts';

/** Where an agent was found, in the order in which it is looked for. */
export type Found =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'agent-path'; readonly folder: string }
  | { readonly kind: 'built-in' }
  | { readonly kind: 'package'; readonly name: string; readonly version: string; readonly folder: string }
  | { readonly kind: 'executable'; readonly file: string };

export interface ResolvedAgent extends Program {
  readonly found: Found;
  /** Range that its version must lie in; absent: any version. */
  readonly range?: string;
  /** `sha256:<hex>`; absent for path and built-in agents, which change with the workspace and with skein. */
  readonly digest?: string;
}

/** How an agent was found, for people: `the package skein-agent-redis 1.2.0`. */
export function describeFound(found: Found): string {
  switch (found.kind) {
    case 'path':
      return `the path ${found.path}`;
    case 'agent-path':
      return `the folder ${found.folder} of --agent-path`;
    case 'built-in':
      return 'built in';
    case 'package':
      return `the package ${found.name} ${found.version} in ${found.folder}`;
    case 'executable':
      return `the executable ${found.file} on PATH`;
  }
}
