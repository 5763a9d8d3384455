import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');
const proto = read('proto/skein/control/v1/control.proto').replace(/\/\/.*/g, '');
const page = read('docs/control-api.md');

test('U-9 docs/control-api.md names every method of the API', () => {
  const methods = [...proto.matchAll(/rpc (\w+)\(/g)].map(([, name]) => name);
  expect(methods).toContain('GetSnapshot');
  expect(methods.filter((name) => !new RegExp(`^### .*\\b${name}\\b`, 'm').test(page))).toEqual([]);
});

test('U-9 docs/control-api.md names every field and every state', () => {
  const fields = [...proto.matchAll(/^ {2}(?:optional |repeated )?[\w.]+ (\w+) = \d+;/gm)].map(
    ([, name]) => name,
  );
  const states = [...proto.matchAll(/^ {2}(?:RUN|SERVICE)_STATE_(\w+) = [1-9]/gm)].map(([, name]) => name);
  expect(fields).toContain('time_to_ready_ms');
  expect(states).toContain('CRASH_LOOPING');
  const named = new Set(page.match(/\w+/g));
  expect([...fields, ...states].filter((name) => !named.has(name))).toEqual([]);
});
