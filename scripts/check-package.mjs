// Packs what would be published and looks at it as its users will: the manifest by publint, the resolution of types by
// "are the types wrong", and that nothing is missing or too much. Needs `dist` and `dist/types`.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = mkdtempSync(join(tmpdir(), 'skein-package-'));

try {
  const { filename, files, size } = pack();
  const tarball = join(folder, filename);
  const passed = [
    complete(files.map(({ path }) => path)),
    succeeds('publint', ['--strict', tarball]),
    succeeds('attw', ['--profile', 'esm-only', '--no-color', tarball]),
  ];
  console.log(`${filename}: ${files.length} files, ${Math.round(size / 1024)} KiB`);
  process.exitCode = passed.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function pack() {
  // Without scripts: what is checked is what the suites before this one have built.
  const { stdout, status } = spawnSync(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  if (status !== 0) process.exit(1);
  const answer = JSON.parse(stdout);
  return Object.values(answer)[0];
}

/** Everything that the manifest, the documentation and the licence promise, and no test or source. */
function complete(paths) {
  const { bin, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const promised = [
    ...Object.values(bin),
    ...Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? target : Object.values(target),
    ),
    'dist/agents.js',
    ...['workspace', 'module', 'service'].map((kind) => `schemas/${kind}.schema.json`),
    ...['agent', 'runtime', 'builder', 'control'].map((name) => `proto/skein/${name}/v1/${name}.proto`),
    'LICENSE',
    'README.md',
    'CHANGELOG.md',
  ].map((path) => path.replace(/^\.\//, ''));
  const missing = promised.filter((path) => !paths.includes(path));
  const stray = paths.filter((path) => /\.test\.|(^|\/)(src|tests|bench|fixtures)\//.test(path));
  for (const path of missing) console.error(`missing in the package: ${path}`);
  for (const path of stray) console.error(`does not belong into the package: ${path}`);
  return missing.length === 0 && stray.length === 0;
}

function succeeds(command, words) {
  return (
    spawnSync(join(root, 'node_modules', '.bin', command), words, { cwd: root, stdio: 'inherit' }).status ===
    0
  );
}
