import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  DesiredState,
  InformationResponseSchema,
  InstanceState,
} from '../../gen/skein/runtime/v1/runtime_pb.js';
import { newsBetween, type Polled } from './instance-poll.ts';

const { RUNNING, FAILED } = InstanceState;
const { UNSPECIFIED, INIT, START } = DesiredState;

const polled = (state: InstanceState, desiredState: DesiredState, wishAge = 0, generation = 1n): Polled => ({
  now: create(InformationResponseSchema, { state, desiredState, generation }),
  wishAge,
});
const told = (before: Polled | undefined, now: Polled): readonly (string | undefined)[] =>
  newsBetween('shop/api', before, now, 0).map(({ event }) => event.case);

describe('F-14 news of an agent that is polled', () => {
  test.each<[string, Polled | undefined, Polled, readonly string[]]>([
    ['the first answer', undefined, polled(RUNNING, UNSPECIFIED), ['state']],
    ['the first answer with a wish', undefined, polled(RUNNING, INIT), ['state', 'desired']],
    ['the same answer', polled(RUNNING, UNSPECIFIED), polled(RUNNING, UNSPECIFIED), []],
    ['another state', polled(RUNNING, UNSPECIFIED), polled(FAILED, UNSPECIFIED), ['state']],
    ['another generation', polled(RUNNING, UNSPECIFIED), polled(RUNNING, UNSPECIFIED, 0, 2n), ['state']],
    ['a wish', polled(RUNNING, UNSPECIFIED), polled(RUNNING, START), ['desired']],
    ['a wish that stands', polled(RUNNING, INIT), polled(RUNNING, INIT), []],
    ['another wish', polled(RUNNING, START), polled(RUNNING, INIT), ['desired']],
    ['a wish that was fulfilled', polled(RUNNING, INIT), polled(RUNNING, UNSPECIFIED), []],
    [
      'a wish that stands after its phase: of a change during it',
      polled(RUNNING, INIT),
      polled(RUNNING, INIT, 1),
      ['desired'],
    ],
  ])('%s', (_, before, now, news) => {
    expect(told(before, now)).toEqual(news);
  });
});
