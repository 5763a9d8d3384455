/** A fixture as a workspace of a test's own: where its programs find the packages of this repository, and git looks away. */
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface CopiedFixture extends AsyncDisposable {
  /** Absolute. */
  readonly root: string;
}

/** `source`: absolute. What skein has kept in the fixture itself is left out. */
export function copiedFixture(source: string): CopiedFixture {
  const parent = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
  mkdirSync(parent, { recursive: true });
  const root = mkdtempSync(join(parent, 'fixture-'));
  cpSync(source, root, { recursive: true, filter: (path) => !path.endsWith('/.skein') });
  return {
    root,
    [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true, force: true, maxRetries: 3 }),
  };
}
