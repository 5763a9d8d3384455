import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import {
  type InstanceEvent,
  InstanceEventSchema,
  InstanceState,
} from '../gen/skein/runtime/v1/runtime_pb.js';
import type { ServiceId } from '../workspace/index.ts';
import { InstanceNews, type NewsItem } from './instance-news.ts';

const id = 'shop/api' as ServiceId;

function state(generation: number, value: InstanceState): InstanceEvent {
  return create(InstanceEventSchema, {
    instance: id,
    generation: BigInt(generation),
    event: { case: 'state', value: { state: value, exit: { cause: { case: 'code', value: 3 } } } },
  });
}

function heard(): { news: InstanceNews; items: NewsItem[] } {
  const items: NewsItem[] = [];
  return { news: new InstanceNews(id, (item) => items.push(item)), items };
}

describe('the news of an instance', () => {
  test('F-15 what an agent says of a process before the Start has answered is told after it', () => {
    const { news, items } = heard();
    news.starting();
    news.take(state(1, InstanceState.FAILED));
    expect(items).toEqual([]);
    news.started(1n);
    expect(items).toMatchObject([{ type: 'failed', report: { exit: { kind: 'exited', code: 3 } } }]);
  });

  test('F-21 how a process ended that was told to is told late, and is no failure of what follows it', () => {
    const { news, items } = heard();
    news.starting();
    news.started(1n);
    news.ended();
    news.take(state(1, InstanceState.FAILED));
    expect(items).toEqual([{ type: 'replaced', end: { kind: 'exited', code: 3 } }]);
    news.starting();
    news.started(2n);
    news.take(state(1, InstanceState.STOPPED));
    expect(items).toHaveLength(1);
    news.take(state(2, InstanceState.FAILED));
    expect(items).toMatchObject([{ type: 'replaced' }, { type: 'failed' }]);
  });

  test('N-9 what ends during a Start that turns out to have kept it has failed', () => {
    const { news, items } = heard();
    news.starting();
    news.started(1n);
    news.starting();
    news.take(state(1, InstanceState.FAILED));
    news.started(1n);
    expect(items).toMatchObject([{ type: 'replaced' }, { type: 'failed' }]);
  });

  test('news of an earlier process are dropped', () => {
    const { news, items } = heard();
    news.starting();
    news.started(2n);
    news.take(state(1, InstanceState.FAILED));
    expect(items).toEqual([]);
    news.take(state(2, InstanceState.COMPLETED));
    expect(items).toEqual([{ type: 'completed', end: { kind: 'exited', code: 3 } }]);
  });

  test('what is said of the process of a failed Start is part of that failure', () => {
    const { news, items } = heard();
    news.starting();
    news.take(state(1, InstanceState.RUNNING));
    news.notStarted();
    news.take(state(1, InstanceState.FAILED));
    expect(items).toEqual([]);
  });

  test('A-5 a failure without a word of why is still a failure', () => {
    const { news, items } = heard();
    news.take(state(0, InstanceState.FAILED));
    expect(items).toMatchObject([{ type: 'failed', report: { code: 'FAILED', service: id } }]);
  });
});
