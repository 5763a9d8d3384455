// The house rules of docs/architecture.md, as a check: arrows point down, and a folder is entered by its index.
const floors = [
  ['errors'],
  ['gen', 'secrets'],
  ['workspace', 'processes'],
  ['network', 'configuration', 'agents'],
  ['orchestration'],
  ['control'],
  ['cli'],
];
const below = (level) => floors.slice(0, level).flat();

/** What each folder may reach besides itself: every folder on a lower floor, and the named neighbours. */
const neighbours = { configuration: ['network'], agents: [] };

const rules = floors.flatMap((floor, level) =>
  floor.map((folder) => ({
    name: `arrows-point-down-from-${folder}`,
    severity: 'error',
    from: { path: `^src/${folder}/` },
    to: {
      path: '^src/[^/]+/',
      pathNot: [folder, ...below(level), ...(neighbours[folder] ?? [])].map((name) => `^src/${name}/`),
    },
  })),
);

module.exports = {
  forbidden: [
    ...rules,
    {
      name: 'enter-by-the-index',
      comment: 'A folder is entered through its index.ts; what that does not export is private.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: ['\\.test\\.ts$'] },
      to: {
        path: '^src/[^/]+/',
        pathNot: [
          '^src/$1/',
          '^src/[^/]+/index\\.ts$',
          '^src/gen/',
          '^src/agents/(sdk|host|wire|program)/index\\.ts$',
        ],
      },
    },
    {
      name: 'enter-rooms-by-the-index',
      comment: 'The same inside agents: host, sdk, wire and the built-in agents meet by their faces only.',
      severity: 'error',
      from: { path: '^src/agents/([^/]+)/', pathNot: ['\\.test\\.ts$'] },
      to: { path: '^src/agents/[^/]+/', pathNot: ['^src/agents/$1/', '^src/agents/[^/]+/index\\.ts$'] },
    },
    {
      name: 'host-and-sdk-are-strangers',
      comment: 'They meet on the wire; an agent must never need the host in its process.',
      severity: 'error',
      from: { path: '^src/agents/(sdk|builtin)/' },
      to: { path: '^src/agents/host/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { pathNot: '^src/gen/' } },
    },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, path: '^src/', pathNot: ['^src/gen/', '\\.test\\.ts$', '\\.d\\.ts$'] },
      to: {},
    },
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|node_modules)/' },
  },
};
