import type { JsonObject } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { isFilePlace } from '../../errors/index.ts';
import type { Json, Service } from '../../workspace/index.ts';
import { validateSpec } from './spec-validation.ts';

const schema: JsonObject = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  additionalProperties: false,
  required: ['command'],
  properties: {
    command: {
      description: 'What to run.',
      anyOf: [
        { type: 'string', minLength: 1 },
        { type: 'array', items: { type: 'string' }, minItems: 1 },
      ],
    },
    watch: { type: 'array', items: { type: 'string' } },
    start: {
      title: 'a script, or a list of words',
      anyOf: [
        { title: 'a script', type: 'string', minLength: 1 },
        {
          type: 'array',
          prefixItems: [{ title: 'a program', type: 'string', minLength: 1 }],
          items: { type: 'string' },
          minItems: 1,
        },
      ],
    },
    'stop-signal': { enum: ['TERM', 'INT'] },
    'stop-timeout': { type: 'string', pattern: '^[0-9]+(ms|s|m)$' },
    workers: { type: 'integer', minimum: 1, maximum: 64 },
    fast: { type: 'boolean' },
    test: {
      oneOf: [
        { type: 'string' },
        {
          type: 'object',
          additionalProperties: false,
          required: ['command'],
          properties: { command: { type: 'string' }, format: { enum: ['tap', 'junit'] } },
        },
      ],
    },
    step: { $ref: '#/$defs/step' },
    labels: { type: 'object', additionalProperties: { type: 'string' } },
  },
  $defs: {
    step: {
      type: 'object',
      additionalProperties: false,
      properties: { name: { type: 'string' }, next: { $ref: '#/$defs/step' } },
    },
  },
};

/** Messages with the pointer that the place was asked for. */
function faults(spec: Record<string, Json>, by: JsonObject | undefined = schema): string[] {
  const service = {
    id: 'shop/api',
    spec,
    specPlace: (pointer: string) => ({ file: pointer, line: 1, column: 1 }),
  } as unknown as Service;
  return validateSpec(service, by).map(
    ({ code, message, place }) => `${place && isFilePlace(place) ? place.file : '?'} ${code} ${message}`,
  );
}

describe('A-2 a spec that the schema accepts', () => {
  test.each<Record<string, Json>>([
    { command: 'node a.js' },
    {
      command: ['node', 'a.js'],
      watch: ['src'],
      'stop-signal': 'INT',
      workers: 64,
      fast: true,
      test: 'npm test',
    },
    {
      command: 'a',
      test: { command: 'b', format: 'tap' },
      step: { next: { next: { name: 'x' } } },
      labels: { any: 'thing' },
    },
  ])('%j', (spec) => {
    expect(faults(spec)).toEqual([]);
  });

  test('is any spec where the agent has no schema', () => {
    const service = { id: 'shop/api', spec: { anything: 1 } } as unknown as Service;
    expect(validateSpec(service, undefined)).toEqual([]);
  });
});

describe('A-2 a spec that it refuses', () => {
  test.each<[Record<string, Json>, string]>([
    [
      { command: 'a', wacth: [] },
      '/wacth SK1330 unknown key `wacth` in `spec` of shop/api; did you mean `watch`?',
    ],
    [
      { command: 'a', test: { command: 'b', fromat: 'tap' } },
      '/test/fromat SK1330 unknown key `fromat` in `spec.test` of shop/api; did you mean `format`?',
    ],
    [
      { command: 'a', test: { command: 'b', zzz: 1 } },
      '/test/zzz SK1330 unknown key `zzz` in `spec.test` of shop/api; known keys: command, format',
    ],
    [{}, ' SK1332 `spec` of shop/api lacks `command`: text that is not empty, or a list that is not empty'],
    [{ command: 'a', test: {} }, '/test SK1332 `spec.test` of shop/api lacks `command`: text'],
    [
      { command: 5 },
      '/command SK1331 `spec.command` of shop/api is `5`; expected text that is not empty, or a list that is not empty',
    ],
    [
      { command: [] },
      '/command SK1331 `spec.command` of shop/api is an empty list; expected a list that is not empty',
    ],
    [
      { command: 'a', start: {} },
      '/start SK1331 `spec.start` of shop/api is an empty mapping; expected a script, or a list of words',
    ],
    [{ command: 'a', start: '' }, '/start SK1331 `spec.start` of shop/api is `""`; expected a script'],
    [
      { command: 'a', start: [] },
      '/start SK1331 `spec.start` of shop/api is an empty list; expected a list that is not empty',
    ],
    [
      { command: 'a', start: [''] },
      '/start/0 SK1331 `spec.start[0]` of shop/api is `""`; expected a program',
    ],
    [{ command: 'a', start: ['a', 5] }, '/start/1 SK1331 `spec.start[1]` of shop/api is `5`; expected text'],
    [{ command: 'a', watch: ['b', 7] }, '/watch/1 SK1331 `spec.watch[1]` of shop/api is `7`; expected text'],
    [
      { command: 'a', 'stop-signal': 'KILL' },
      '/stop-signal SK1331 `spec.stop-signal` of shop/api is `"KILL"`; expected one of "TERM", "INT"',
    ],
    [
      { command: 'a', workers: 65 },
      '/workers SK1331 `spec.workers` of shop/api is `65`; expected a whole number from 1 to 64',
    ],
    [
      { command: 'a', workers: 1.5 },
      '/workers SK1331 `spec.workers` of shop/api is `1.5`; expected a whole number from 1 to 64',
    ],
    [
      { command: 'a', fast: 'yes' },
      '/fast SK1331 `spec.fast` of shop/api is `"yes"`; expected `true` or `false`',
    ],
    [
      { command: 'a', 'stop-timeout': '5h' },
      '/stop-timeout SK1331 `spec.stop-timeout` of shop/api is `"5h"`; expected text that matches /^[0-9]+(ms|s|m)$/',
    ],
    [
      { command: 'a', labels: { 'a/b': 1 } },
      '/labels/a~1b SK1331 `spec.labels.a/b` of shop/api is `1`; expected text',
    ],
    [
      { command: 'a', step: { next: { naem: 'x' } } },
      '/step/next/naem SK1330 unknown key `naem` in `spec.step.next` of shop/api; did you mean `name`?',
    ],
  ])('%j', (spec, expected) => {
    expect(faults(spec)).toEqual([expected]);
  });

  test('has all its faults told at once', () => {
    expect(faults({ wacth: 1, workers: 0 })).toHaveLength(3);
  });
});

test('A-2 a schema that cannot be used is told as that, at the spec', () => {
  expect(faults({}, { type: 'object', if: {} })).toEqual([
    " SK1333 the agent's schema of `spec` cannot be used; it is asked to judge shop/api",
  ]);
});
