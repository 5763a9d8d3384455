import { create } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GetAgentInformationResponseSchema } from '../../gen/skein/agent/v1/agent_pb.js';
import { FailureSchema } from '../../gen/skein/base/v1/status_pb.js';
import {
  InitResponseSchema,
  InstanceEventSchema,
  InstanceState,
  StopResponseSchema,
} from '../../gen/skein/runtime/v1/runtime_pb.js';
import { unknownNumber } from './enumerations.ts';

describe('A-1 an unknown number is found wherever it stands', () => {
  test('in a field, in a list, in a message in a list, in a oneof', () => {
    expect(unknownNumber(StopResponseSchema, create(StopResponseSchema, { outcome: 9 as number }))).toEqual({
      field: 'outcome',
      enumeration: 'skein.runtime.v1.StopResponse.Outcome',
      number: 9,
    });
    const information = create(GetAgentInformationResponseSchema, { runtimeContexts: [1, 8 as number] });
    expect(unknownNumber(GetAgentInformationResponseSchema, information)).toMatchObject({
      field: 'runtime_contexts',
      number: 8,
    });
    const init = create(InitResponseSchema, {
      networkMappings: [{ instances: [{ access: 1 }, { access: 5 as number }] }],
    });
    expect(unknownNumber(InitResponseSchema, init)).toMatchObject({
      field: 'network_mappings.instances.access',
      number: 5,
    });
    const event = create(InstanceEventSchema, {
      event: { case: 'desired', value: { desired: -1 as number } },
    });
    expect(unknownNumber(InstanceEventSchema, event)).toMatchObject({ field: 'desired.desired', number: -1 });
  });

  test('and messages that hold themselves end', () => {
    expect(
      unknownNumber(FailureSchema, create(FailureSchema, { causes: [{ causes: [{ code: 'A' }] }] })),
    ).toBeUndefined();
  });

  test('exactly the numbers of the enumeration pass, always', () => {
    const known = Object.values(InstanceState).filter((value) => typeof value === 'number');
    fc.assert(
      fc.property(fc.oneof(fc.integer({ min: -3, max: 10 }), fc.integer()), (number) => {
        const event = create(InstanceEventSchema, { event: { case: 'state', value: { state: number } } });
        expect(unknownNumber(InstanceEventSchema, event)?.number).toBe(
          known.includes(number) ? undefined : number,
        );
      }),
    );
  });

  test("a spec schema's nulls are nobody's business", () => {
    const information = create(GetAgentInformationResponseSchema, {
      specSchema: { default: null, list: [null] },
    });
    expect(unknownNumber(GetAgentInformationResponseSchema, information)).toBeUndefined();
  });
});
