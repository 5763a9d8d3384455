/** U-4: what makes a command start in a moment is what it does not load. What each loads is asked of V8 itself. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

/** What every command takes. */
const commandLine = ['@commander-js/extra-typings', 'commander'];
/** To read the records of runs. */
const messages = '@bufbuild/protobuf';
/** To ask a live run. */
const rpc = ['@connectrpc/connect', '@connectrpc/connect-node'];

test('U-4 `--help` and `--version` load the table of commands and nothing of what the commands do', async () => {
  await using site = new Site();
  for (const words of [['--help'], ['--version'], ['run', '--help']])
    expect(await loadedBy(site, ...words)).toEqual({ packages: commandLine, folders: ['cli'] });
});

test('U-4 `status` loads what it takes to ask: no YAML, no schema, no agents, nothing that runs services', async () => {
  await using site = new Site();
  site.declare('quick', [shellService('a', staying())]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const folders = ['cli', 'control', 'errors', 'gen', 'processes', 'secrets', 'workspace'];
  const packages = [messages, ...commandLine];
  expect(await loadedBy(site, 'status')).toEqual({ packages: [...packages, ...rpc].toSorted(), folders });
  expect((await site.skein('stop')).status).toBe(0);
  expect(await loadedBy(site, 'status')).toEqual({ packages, folders });
});

/** The packages, and the folders of `src`, of whose code the command has executed any. */
async function loadedBy(
  site: Site,
  ...words: readonly string[]
): Promise<{ readonly packages: readonly string[]; readonly folders: readonly string[] }> {
  const folder = mkdtempSync(join(tmpdir(), 'skein-loaded-'));
  try {
    await site.startWith(['/usr/bin/env', `NODE_V8_COVERAGE=${folder}`], ...words).ended;
    const [report = ''] = readdirSync(folder);
    const { result } = JSON.parse(readFileSync(join(folder, report), 'utf8')) as {
      result: { url: string }[];
    };
    const sources = result.filter(({ url }) => url.startsWith('file:')).flatMap(({ url }) => sourcesOf(url));
    return {
      packages: names(sources, /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//),
      folders: names(
        sources.filter((source) => !source.includes('node_modules/')),
        /.*src\/([^/]+)\//,
      ),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What was bundled into a script, or the script itself. */
function sourcesOf(url: string): readonly string[] {
  const path = fileURLToPath(url);
  if (!existsSync(`${path}.map`)) return [path];
  return (JSON.parse(readFileSync(`${path}.map`, 'utf8')) as { sources: string[] }).sources;
}

function names(sources: readonly string[], pattern: RegExp): readonly string[] {
  return [...new Set(sources.flatMap((source) => pattern.exec(source)?.[1] ?? []))].toSorted();
}
