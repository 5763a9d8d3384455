/** Services that end again and again, as real processes. */
import { describe, expect, test } from 'vitest';
import type { ServiceId } from '../../src/workspace/index.ts';
import { shellService, staying } from '../support/declared-services.ts';
import { type FlowUnderTest, startFlow } from '../support/flows.ts';

const api = 'site/api' as ServiceId;

/** The states that a service came to, one after the other. */
const statesOf = (run: FlowUnderTest, service: ServiceId): string[] =>
  run.happenings.flatMap((it) => (it.type === 'service-state' && it.service === service ? [it.state] : []));

describe('a service that keeps ending', () => {
  test('run-20 F-16 is tried with growing pauses, and is crash-looping after its attempts', async () => {
    await using run = await startFlow([
      shellService('api', 'echo again; exit 1', {
        restart: { policy: 'always', attempts: 4, backoff: '20ms' },
      }),
      shellService('other', staying()),
    ]);
    const { cause, failure } = await run.state(api, 'crash-looping');
    expect(cause).toBe('it ended 4 times in a row, and is not started again by itself');
    expect(failure?.message).toContain(cause);
    expect(failure?.lastLines).toContain('again');
    expect(statesOf(run, api).filter((state) => state === 'starting')).toHaveLength(4);
    const pauses = run.happenings.flatMap((it) =>
      it.type === 'warning' && it.service === api && it.phase === 'retry' ? [it.message] : [],
    );
    expect(pauses).toHaveLength(3);
    expect(run.flow.why(api).at(-1)).toMatchObject({
      service: api,
      failure: { exit: { kind: 'exited', code: 1 } },
    });
    expect(run.flow.snapshot().services.get('site/other' as ServiceId)?.state).toBe('running');
  });

  test('F-16 with success, and is to run always, is crash-looping as well', async () => {
    await using run = await startFlow([
      shellService('api', 'exit 0', { restart: { policy: 'always', attempts: 2, backoff: '10ms' } }),
    ]);
    const { failure } = await run.state(api, 'crash-looping');
    expect(failure?.message).toContain('ended with status 0');
  });

  test('F-16 F-21 has all its attempts again when it is started', async () => {
    await using run = await startFlow([
      shellService('api', '[ -e mended ] && exec sleep 600; exit 1', {
        restart: { policy: 'on-failure', attempts: 1, backoff: '10ms' },
      }),
    ]);
    await run.state(api, 'crash-looping');
    await run.flow.startServices([api]);
    let loops = 0;
    await run.happening('service-state', (it) => it.state === 'crash-looping' && ++loops === 2);
    run.write('mended', '');
    await run.flow.startServices([api]);
    expect(run.flow.snapshot().services.get(api)).toMatchObject({ state: 'running', failure: null });
  });
});
