import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { jsonSchemas } from './schema.ts';

test('W-5 the JSON Schemas come from the definitions that validate', () => {
  const { workspace, module, service } = jsonSchemas();
  expect(workspace).toMatchObject({
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'workspace.skein.yaml',
    type: 'object',
    additionalProperties: false,
    required: ['name'],
  });
  expect(module).toMatchObject({ title: 'module.skein.yaml', properties: { services: { type: 'array' } } });
  expect(service).toMatchObject({
    required: ['agent'],
    properties: {
      kind: { enum: ['service', 'job'] },
      endpoints: {
        items: { properties: { port: { type: 'integer', minimum: 1, maximum: 65_535 } }, required: ['name'] },
      },
      restart: { anyOf: [{ enum: ['on-failure', 'always', 'never'] }, { type: 'object' }] },
    },
  });
});

test('W-5 a JSON Schema accepts a real workspace, and sees what is wrong with one', () => {
  const { workspace } = jsonSchemas();
  // A validator made of the JSON Schema alone, as an editor has it.
  const judge = z.fromJSONSchema(workspace as Parameters<typeof z.fromJSONSchema>[0]);
  const shop = new URL('../../fixtures/shop/workspace.skein.yaml', import.meta.url);
  const written = parse(readFileSync(shop, 'utf8')) as Record<string, unknown>;
  const faults = (file: unknown): unknown => judge.safeParse(file).error?.issues.length ?? 0;
  expect(faults(written)).toBe(0);
  expect(faults({ ...written, name: 'The Shop' })).toBe(1);
  expect(faults({ ...written, servces: [] })).toBe(1);
  expect(faults({ ...written, services: [{ name: 'api' }] })).toBe(1);
});
