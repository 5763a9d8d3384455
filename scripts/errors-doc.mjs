// `npm run errors`: writes docs/errors.md from the table that each folder of src keeps of its error codes. The test beside
// this file checks that the page is up to date, and that codes and tables fit each other.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
export const page = join(root, 'docs', 'errors.md');

/** Who owns which codes, in the order of the page; a range includes its ends. */
export const subjects = [
  {
    folder: 'workspace',
    range: [1001, 1099],
    title: 'Workspace',
    about: 'What is wrong with the files of a workspace. All faults of all files are reported at once.',
  },
  {
    folder: 'configuration',
    range: [1101, 1199],
    title: 'Configuration',
    about: 'References in `environment`, and what services expose to their dependents.',
  },
  {
    folder: 'network',
    range: [1201, 1299],
    title: 'Network',
    about: 'Ports and addresses.',
  },
  {
    folder: 'agents/host',
    range: [1301, 1399],
    title: 'Agents',
    about: 'Finding agents, starting them, admitting them, and calling them.',
  },
  {
    folder: 'orchestration',
    range: [1401, 1449],
    title: 'Run',
    about: 'A run as a whole.',
  },
  {
    folder: 'orchestration/readiness',
    range: [1451, 1469],
    title: 'Readiness',
    about: 'What has to hold before a run is ready.',
  },
  {
    folder: 'orchestration/teardown',
    range: [1470, 1499],
    title: 'Teardown',
    about: 'The end of a run.',
  },
  {
    folder: 'control',
    range: [1501, 1549],
    title: 'Record and API of a run',
    about: 'Finding a live run, its socket, its record, its output.',
  },
  {
    folder: 'cli',
    range: [1550, 1599],
    title: 'Command line',
    about: 'What was typed, and faults of skein itself.',
  },
  {
    folder: 'processes',
    range: [1601, 1699],
    title: 'Processes',
    about: 'Starting, watching, stopping and identifying processes.',
  },
  {
    folder: 'agents/sdk',
    range: [1701, 1799],
    title: 'SDK of agents',
    about: 'What an agent says on stderr when it cannot serve.',
  },
];

/** Every folder of `src`, relative to it, that keeps a table. */
export function foldersWithTables() {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /(^|\/)errors\.ts$/.test(path))
    .map((path) => dirname(path))
    .sort();
}

/** The table of a folder: by code, `{ title, remedy }`. Such a file imports types only, and so stands by itself. */
export async function tableOf(folder) {
  const source = readFileSync(join(root, 'src', folder, 'errors.ts'), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', format: 'esm' });
  const [table] = Object.values(await import(`data:text/javascript,${encodeURIComponent(code)}`));
  return table;
}

/** Every mention of a code in the sources that are no tests and no tables: `{ code, file }`. */
export function mentions() {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ts$/.test(path) && !/\.test\.ts$|(^|\/)errors\.ts$|^gen\//.test(path))
    .flatMap((file) => {
      const source = readFileSync(join(root, 'src', file), 'utf8');
      return [...source.matchAll(/'(SK\d{4})'/g)].map(([, code]) => ({ code, file }));
    });
}

export async function errorsPage() {
  const parts = [];
  for (const { folder, range, title, about } of subjects) {
    const rows = Object.entries(await tableOf(folder))
      .sort(([one], [other]) => one.localeCompare(other))
      .map(([code, entry]) => `| ${code} | ${sentence(entry.title)} | ${sentence(entry.remedy)} |`);
    parts.push(
      [
        `## ${title} (SK${range[0]} to SK${range[1]})`,
        '',
        about,
        '',
        '| code | what it means | what to do |',
        '| --- | --- | --- |',
        ...rows,
        '',
      ].join('\n'),
    );
  }
  return `${preface}\n${parts.join('\n')}`;
}

const preface = `# Error codes

<!-- Written by \`npm run errors\` from the tables \`errors.ts\` in the folders of src. Change those, not this page. -->

Whatever skein can foresee going wrong has a code. A code keeps its meaning for ever, so that scripts may rely on it. An
error on stderr says what failed, where, why, and what to do next:

\`\`\`
error SK1010: unknown key \`endpoits\`; did you mean \`endpoints\`?
  at: /home/me/shop/workspace.skein.yaml:5:5
  5 |     endpoits: [{ name: http }]
    |     ^
  to do: Correct or remove the key.
\`\`\`

With \`--json\` it is one document on stderr: \`{ "errors": [ { "code", "message", "place", "causes", "remedy", "lastLines" } ] }\`.
The exit status is 2 where something that was written has to be corrected, and 1 otherwise. The remedies below are the
general ones; an error that knows better says so in its place.
`;

function sentence(text) {
  return (text[0].toUpperCase() + text.slice(1)).replaceAll('|', '\\|');
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href)
  writeFileSync(page, await errorsPage());
