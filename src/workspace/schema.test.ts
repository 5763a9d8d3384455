import { expect, test } from 'vitest';
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
