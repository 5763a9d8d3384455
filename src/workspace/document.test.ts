import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { complaintsOf, workspaceFolder } from '../../tests/support/workspace-files.ts';
import { readDocument } from './document.ts';
import { maxFileBytes } from './files.ts';
import { SourceText } from './source.ts';

const file = 'workspace.skein.yaml';

test.each<[string, string | Uint8Array, readonly string[]]>([
  ['an empty file', '', [`SK1008 ${file}:1:1 ${file} is empty`]],
  ['a file of comments', '# nothing\n', [`SK1008 ${file}:1:1 ${file} is empty`]],
  ['a bare byte order mark', '\uFEFF', [`SK1008 ${file}:1:1 ${file} is empty`]],
  [
    'a duplicate key',
    'name: a\nservices: []\nname: b\n',
    [`SK1006 ${file}:3:1 the key \`name\` is written twice: first at ${file}:1:1`],
  ],
  [
    'a duplicate key behind CRLF and a mark',
    '\uFEFFname: a\r\n"name": b\r\n',
    [`SK1006 ${file}:2:1 the key \`name\` is written twice: first at ${file}:1:1`],
  ],
  [
    'a tab as indentation',
    'name: a\nservices:\n\t- x\n',
    [`SK1005 ${file}:3:1 a tab is used for indentation; YAML takes spaces only`],
  ],
  [
    'a second document',
    'name: a\n---\nname: b\n',
    [`SK1005 ${file}:2:1 a file holds one YAML document; a second one starts here`],
  ],
  ['a tag', 'name: !secret a\n', [`SK1005 ${file}:1:7 tags (\`!…\`) are not accepted`]],
  [
    'a merge key',
    'name: a\n<<: { services: [] }\n',
    [`SK1005 ${file}:2:1 merge keys (\`<<\`) are not of YAML 1.2`],
  ],
  [
    'a prototype key',
    'name: a\n__proto__: { services: [] }\n',
    [`SK1005 ${file}:2:1 the key \`__proto__\` is not accepted`],
  ],
  ['YAML 1.1', '%YAML 1.1\n---\nname: a\n', [`SK1005 ${file}:1:1 files are YAML 1.2, not 1.1`]],
  [
    'an alias to nothing',
    'name: *x\n',
    [
      `SK1007 ${file}:1:7 no anchor \`&x\` stands before this alias`,
      `SK1011 ${file}:1:7 \`name\` must be a name: a lower-case letter, then lower-case letters, digits and single dashes, 63 characters at most; found nothing`,
    ],
  ],
  [
    'bytes of another encoding',
    Buffer.from('name: a # caf\xe9\n', 'latin1'),
    [`SK1004 ${file}:1:14 ${file} is not UTF-8: byte 14 belongs to no character`],
  ],
  [
    'UTF-16',
    Buffer.from('\uFEFFname: a\n', 'utf16le'),
    [`SK1004 ${file}:1:1 ${file} is not UTF-8: it is UTF-16`],
  ],
])('W-4 %s is refused at its place', async (_title, text, expected) => {
  using folder = workspaceFolder({ [file]: text });
  expect(await complaintsOf(folder.root)).toEqual(expected);
});

test('W-4 1 MiB is read and a byte more is refused', async () => {
  const head = 'name: a\n#';
  using folder = workspaceFolder({ [file]: head.padEnd(maxFileBytes, 'x') });
  expect(await complaintsOf(folder.root)).toEqual([]);
  folder.write({ [file]: head.padEnd(maxFileBytes + 1, 'x') });
  expect(await complaintsOf(folder.root)).toEqual([
    `SK1003 ${file}:1:1 ${file} holds 1048577 bytes; a file may hold 1048576 (1 MiB)`,
  ]);
});

test('W-4 a folder or a pipe in the place of a file is refused, never waited for', async () => {
  using folder = workspaceFolder();
  mkdirSync(join(folder.root, file));
  expect(await complaintsOf(folder.root)).toEqual([`SK1002 ${file}:1:1 ${file} is a folder, not a file`]);
  using other = workspaceFolder({ [file]: 'name: a\n', 'services/pipe/x': '' });
  execFileSync('mkfifo', [join(other.root, 'services/pipe/service.skein.yaml')]);
  expect(await complaintsOf(other.root)).toEqual([
    'SK1002 services/pipe/service.skein.yaml:1:1 services/pipe/service.skein.yaml is a pipe, not a file',
  ]);
});

test('W-4 aliases are bounded: a bomb is refused once, at the alias that bursts it', async () => {
  const levels = Array.from({ length: 12 }, (_, level) =>
    level === 0
      ? 'l0: &l0 [x, x, x, x, x, x, x, x, x, x]'
      : `l${level}: &l${level} [${Array(10)
          .fill(`*l${level - 1}`)
          .join(', ')}]`,
  );
  const { faults } = await readDocument(new SourceText('/f', levels.join('\n')));
  expect(faults.map((fault) => [fault.code, fault.message])).toEqual([
    ['SK1007', 'the aliases up to here repeat more than 10000 values'],
  ]);
});

test('W-4 an alias inside its own anchor is refused, and one to a finished value shares it', async () => {
  expect((await readDocument(new SourceText('/f', 'a: &a [*a]'))).faults[0]).toMatchObject({
    code: 'SK1007',
    place: { line: 1, column: 8 },
  });
  const { document, faults } = await readDocument(new SourceText('/f', 'a: &a { b: 1 }\nc: *a\n'));
  expect(faults).toEqual([]);
  expect(document?.value).toEqual({ a: { b: 1 }, c: { b: 1 } });
  expect(document?.place(['c', 'b'])).toMatchObject({ line: 1, column: 12 });
});

test.each([
  ['a little too deep', 150],
  ['far too deep', 200_000],
])('W-4 nesting that is %s is refused', async (_title, depth) => {
  const { faults } = await readDocument(new SourceText('/f', '['.repeat(depth) + ']'.repeat(depth)));
  expect(faults[0]).toMatchObject({
    code: 'SK1005',
    message: 'nested deeper than 100 levels',
    place: { line: 1 },
  });
});

test('a text starts behind its quote or block indicator', async () => {
  const { document } = await readDocument(new SourceText('/f', 'plain: a\nquoted: "a"\nblock: |\n  a\n'));
  expect(document?.textPlace(['plain'])).toMatchObject({ line: 1, column: 8 });
  expect(document?.textPlace(['quoted'])).toMatchObject({ line: 2, column: 10 });
  expect(document?.textPlace(['block'])).toMatchObject({ line: 4, column: 3 });
});
