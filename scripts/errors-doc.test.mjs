import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { errorsPage, foldersWithTables, mentions, page, subjects, tableOf } from './errors-doc.mjs';

const tables = await Promise.all(
  subjects.map(async (subject) => ({ ...subject, table: await tableOf(subject.folder) })),
);
const codes = tables.flatMap(({ table }) => Object.keys(table));

describe('error codes', () => {
  test('every folder with a table is a subject of the page', () => {
    expect(foldersWithTables()).toEqual(subjects.map(({ folder }) => folder).sort());
  });

  test('belong to one folder only', () => {
    expect(codes.filter((code, index) => codes.indexOf(code) !== index)).toEqual([]);
  });

  test.each(tables)('of $folder lie in its range', ({ range: [first, last], table }) => {
    const outside = Object.keys(table).filter(
      (code) => !(Number(code.slice(2)) >= first && Number(code.slice(2)) <= last),
    );
    expect(outside).toEqual([]);
  });

  test('that the sources throw have an entry', () => {
    expect(mentions().filter(({ code }) => !codes.includes(code))).toEqual([]);
  });

  test('that have an entry occur in the sources', () => {
    const used = new Set(mentions().map(({ code }) => code));
    expect(codes.filter((code) => !used.has(code))).toEqual([]);
  });

  test('have a title and a remedy', () => {
    for (const { table } of tables)
      for (const [code, { title, remedy }] of Object.entries(table))
        expect([code, title.trim() !== '', remedy.trim() !== '']).toEqual([code, true, true]);
  });
});

test('a remedy names no command that skein does not have', () => {
  const program = readFileSync(join(import.meta.dirname, '..', 'src', 'cli', 'program.ts'), 'utf8');
  const commands = [...program.matchAll(/command\(\s*'([a-z]+)'/g)].map(([, name]) => name);
  expect(commands).toContain('run');
  const named = tables.flatMap(({ table }) =>
    Object.entries(table).flatMap(([code, { remedy }]) =>
      [...remedy.matchAll(/`skein ([a-z]+)/g)].map(([, command]) => ({ code, command })),
    ),
  );
  expect(named.filter(({ command }) => !commands.includes(command))).toEqual([]);
});

test('docs/errors.md is up to date (npm run errors writes it)', async () => {
  expect(readFileSync(page, 'utf8')).toBe(await errorsPage());
});
