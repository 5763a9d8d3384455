/** A workspace of a test's own in a temporary folder, and what loading it complains about. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { faultsOf, isFilePlace, SkeinError } from '../../src/errors/index.ts';
import { loadWorkspace } from '../../src/workspace/load.ts';

export type Files = Readonly<Record<string, string | Uint8Array>>;

export interface WorkspaceFolder extends Disposable {
  /** Absolute, links resolved. */
  readonly root: string;
  write(files: Files): void;
}

/** Removed when disposed of. */
export function workspaceFolder(files: Files = {}): WorkspaceFolder {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'skein-workspace-')));
  const folder: WorkspaceFolder = {
    root,
    write: (more) => {
      for (const [name, content] of Object.entries(more)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), content);
      }
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
  folder.write(files);
  return folder;
}

/** `SK1010 workspace.skein.yaml:2:1 message`, a line a fault; none when the workspace loads. */
export async function complaintsOf(root: string): Promise<readonly string[]> {
  try {
    await loadWorkspace(root);
    return [];
  } catch (error) {
    if (!(error instanceof SkeinError)) throw error;
    return faultsOf(error).map((fault) => {
      const { place } = fault;
      const at =
        place !== undefined && isFilePlace(place)
          ? `${relative(root, place.file)}:${place.line}:${place.column} `
          : '';
      return `${fault.code} ${at}${fault.message.replaceAll(`${root}/`, '')}`;
    });
  }
}
