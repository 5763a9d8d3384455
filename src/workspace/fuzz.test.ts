import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { complaintsOf, workspaceFolder } from '../../tests/support/workspace-files.ts';

/** What no message may hold: the wording of the libraries underneath, or a value that escaped its formatting. */
const leaks = /Invalid input|Unrecognized key|Too (big|small)|expected .* received|\[object |undefined/;

async function judge(files: Readonly<Record<string, string | Uint8Array>>): Promise<void> {
  using folder = workspaceFolder({ 'workspace.skein.yaml': 'name: w\nservices: [s]\n', ...files });
  // Anything but a load or a SkeinError is thrown on by complaintsOf and fails the property.
  for (const complaint of await complaintsOf(folder.root)) expect(complaint).not.toMatch(leaks);
}

const word = fc.constantFrom(
  'name',
  'agent',
  'kind',
  'job',
  'endpoints',
  'http',
  'udp',
  'health',
  'path',
  '/',
  'statuses',
  'restart',
  'spec',
  'wait',
  's',
  'w',
  '1s',
  'services',
  'modules',
  'service-dependencies',
  'environment',
  'visibility',
  'public',
  'completed',
  'x/y',
  '../..',
  'A',
  '',
);
const leaf = fc.oneof(word, fc.integer(), fc.boolean(), fc.constant(null), fc.double());
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    leaf,
    fc.array(tie('body'), { maxLength: 4 }),
    fc.dictionary(word, tie('body'), { maxKeys: 6 }),
  ),
}));

test('W-4 random bytes load or are refused, never anything else', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), (bytes) => judge({ 'workspace.skein.yaml': bytes })),
    { numRuns: 150 },
  );
});

test('W-4 text made of YAML indicators loads or is refused, never anything else', async () => {
  const indicator = fc.constantFrom(
    '- ',
    ': ',
    '? ',
    '\n',
    '  ',
    '{',
    '}',
    '[',
    ']',
    ', ',
    '&a ',
    '*a',
    '!t ',
    '|',
    '>',
    '"',
    "'",
    '#',
    '%',
    '---',
    '...',
    '\t',
    'name',
    'services',
    'a',
    '<<',
    '\r\n',
    '@',
    '`',
    '\\',
    '\0',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(indicator, { maxLength: 60 }), (parts) =>
      judge({ 's/service.skein.yaml': parts.join('') }),
    ),
    { numRuns: 300 },
  );
});

test('W-4 well-formed YAML of any shape loads or is refused, in our words', async () => {
  const shaped = fc.record(
    {
      name: body,
      agent: body,
      kind: body,
      endpoints: body,
      'service-dependencies': body,
      environment: body,
      restart: body,
      health: body,
      spec: body,
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(fc.oneof(body, shaped), fc.oneof(body, shaped), (service, listed) =>
      judge({
        'workspace.skein.yaml': stringify({ name: 'w', services: ['s', listed] }),
        's/service.skein.yaml': stringify(service),
      }),
    ),
    { numRuns: 300 },
  );
});
