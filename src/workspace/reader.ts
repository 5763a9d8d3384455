/**
 * The reader behind a dynamic import: its YAML and schema libraries cost more than all the rest of a command such as
 * `status`, which needs the workspace's folder and nothing that is written there.
 */
import type { Workspace } from './model.ts';
import type { FileKind } from './schema.ts';

/**
 * Reads and validates the workspace in this folder.
 * @throws {WorkspaceFaults} with every fault of every file (W-4); SK1001 where there is no workspace file.
 */
export async function loadWorkspace(root: string): Promise<Workspace> {
  return (await import('./load.ts')).loadWorkspace(root);
}

/** The name of the workspace in this folder, also of one with faults; `unnamed` where that cannot be told. */
export async function workspaceName(root: string): Promise<string> {
  return (await import('./name.ts')).readName(root);
}

/** The JSON Schema of each kind of file, from the definitions that validate them (W-5). */
export async function jsonSchemas(): Promise<Record<FileKind, object>> {
  return (await import('./schema.ts')).jsonSchemas();
}
