// Writes the declarations of the package: what tsc emits, and beside it those of the generated messages, which tsc takes
// for inputs and leaves where they are.
import { spawnSync } from 'node:child_process';
import { cpSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const types = join(root, 'dist', 'types');

rmSync(types, { recursive: true, force: true });
const { status } = spawnSync(join(root, 'node_modules', '.bin', 'tsc'), ['-p', 'tsconfig.types.json'], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(1);

cpSync(join(root, 'src', 'gen'), join(types, 'gen'), {
  recursive: true,
  filter: (path) => path.endsWith('.d.ts') || statSync(path).isDirectory(),
});
