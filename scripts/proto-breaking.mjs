// Compares the contract with the image of its last release; what breaks an agent's author is an error.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const image = 'proto/released.binpb';

if (!existsSync(join(root, image))) {
  console.error(`${image} is missing: it is the contract as it was last released, and is kept in git`);
  process.exit(1);
}
execFileSync(join(root, 'node_modules', '.bin', 'buf'), ['breaking', '--against', image], {
  cwd: root,
  stdio: 'inherit',
});
console.log(`no breaking change against ${image}`);
