/** Runs of a part of a workspace: without dependencies, without the root, without some services, and to a barrier (F-2, F-3). */
import { describe, expect, test } from 'vitest';
import { faultsOf, type SkeinError } from '../../src/errors/index.ts';
import type { ServiceId } from '../../src/workspace/index.ts';
import { needs, shellJob, shellService, staying, tcpService } from '../support/declared-services.ts';
import { type FlowUnderTest, type FlowUnderTestOptions, startFlow } from '../support/flows.ts';

const db = 'site/db' as ServiceId;
const api = 'site/api' as ServiceId;
const web = 'site/web' as ServiceId;

const chain = [
  tcpService('db'),
  tcpService('api', needs('db')),
  shellService('web', staying(), needs('api')),
];

/** With the address of what it needs. */
const knowing = tcpService('api', {
  ...needs('db'),
  environment: { PORT: '${self:tcp|port}', DB: '${endpoint:site/db/tcp}' },
});

const states = (run: FlowUnderTest): object =>
  Object.fromEntries([...run.flow.snapshot().services].map(([id, { state }]) => [id, state]));

const started = (run: FlowUnderTest): readonly ServiceId[] =>
  run.happenings.flatMap((it) => (it.type === 'process-started' ? [it.service] : []));

async function refusal(
  services: readonly object[],
  options: FlowUnderTestOptions,
): Promise<readonly SkeinError[]> {
  const error = await startFlow(services, options).then(
    () => undefined,
    (thrown: SkeinError) => thrown,
  );
  return error === undefined ? [] : faultsOf(error);
}

describe('a part of a workspace', () => {
  test('run-23 F-3 stand-alone, the root starts without waiting for what it needs', async () => {
    await using run = await startFlow(chain, { roots: [api], part: 'stand-alone' });
    await run.flow.waitReady();
    expect(started(run)).toEqual([api]);
    expect(states(run)).toEqual({ [db]: 'excluded', [api]: 'running' });
    await expect(run.flow.restart(db)).rejects.toMatchObject({
      code: 'SK1405',
      message: expect.stringContaining('--stand-alone'),
    });
  });

  test('R-2 F-2 without its root, what the root consumes is ready, and the root is not started', async () => {
    await using run = await startFlow(
      [tcpService('db'), tcpService('cache'), tcpService('api', needs('db', 'cache'))],
      { roots: [api], part: 'without-root' },
    );
    await run.flow.waitReady();
    expect(states(run)).toEqual({ [db]: 'running', 'site/cache': 'running', [api]: 'excluded' });
    const services = run.flow.snapshot().services;
    expect(services.get(db)?.endpoints).toMatchObject([{ ready: true }]);
    expect(services.get(api)).toMatchObject({ pid: null, endpoints: [{ address: null }] });
  });

  test('run-23 W-14 without a service in the middle, its consumers do not wait, and it starts nobody', async () => {
    await using run = await startFlow(chain, { roots: [web], excluded: new Set([api]) });
    await run.flow.waitReady();
    expect(started(run)).toEqual([web]);
    expect(states(run)).toEqual({ [api]: 'excluded', [web]: 'running' });
    expect(run.happenings).toContainEqual(
      expect.objectContaining({ type: 'warning', service: web, message: expect.stringContaining(api) }),
    );
  });

  test('F-3 of several roots the first names the run, and what they share starts once', async () => {
    await using run = await startFlow([...chain, tcpService('shop', needs('db')), tcpService('other')], {
      roots: [web, 'site/shop' as ServiceId],
    });
    await run.flow.waitReady();
    expect(run.flow.origin).toBe(web);
    expect(started(run).filter((id) => id === db)).toHaveLength(1);
    expect(new Set(started(run))).toEqual(new Set([db, api, web, 'site/shop']));
  });

  test('C-9 an address of what is left out is the one that it is expected at', async () => {
    await using run = await startFlow(
      [
        tcpService('db'),
        shellService('api', `echo "db at $DB"; ${staying()}`, {
          ...needs('db'),
          environment: { DB: '${endpoint:site/db/tcp}' },
        }),
      ],
      { roots: [api], part: 'stand-alone', temporaryPorts: false },
    );
    expect(await run.line(api, 'db at')).toMatch(/^db at 127\.0\.0\.1:\d+$/);
  });

  test('C-9 a reference to what is left out is refused where nobody knows its value, naming the option', async () => {
    const exposed = shellService('api', staying(), {
      ...needs('db'),
      environment: { URL: '${configuration:site/db/connection}' },
    });
    expect(await refusal([tcpService('db'), exposed], { roots: [api], part: 'stand-alone' })).toMatchObject([
      { code: 'SK1413', message: expect.stringMatching(/URL.*site\/db is left out by --stand-alone/) },
    ]);
    const withoutDb = { roots: [api], excluded: new Set([db]) };
    expect(await refusal([tcpService('db'), knowing], withoutDb)).toMatchObject([
      { code: 'SK1413', message: expect.stringMatching(/--exclude-service site\/db.*--temporary-ports/) },
    ]);
  });

  test.each([
    [
      'stand-alone with two roots',
      { roots: [api, web], part: 'stand-alone' },
      /--stand-alone.* 2 are to run/,
    ],
    ['without-root with every service', { part: 'without-root' }, /--exclude-root.* 3 are to run/],
    ['a root that is excluded', { roots: [api], excluded: new Set([api]) }, /site\/api is both/],
  ] as const)('F-3 refuses %s', async (_, options, message) => {
    expect(await refusal(chain, options)).toMatchObject([
      { code: 'SK1412', message: expect.stringMatching(message) },
    ]);
  });

  test('refuses where nothing is left to run', async () => {
    expect(await refusal(chain, { roots: [db], part: 'without-root' })).toMatchObject([{ code: 'SK1403' }]);
  });
});

describe('F-3 a barrier', () => {
  test.each([
    ['loaded', 'initializing', '--load-only'],
    ['initialized', 'starting', '--init-only'],
  ] as const)(
    'until all is %s ends the run with a receipt, and nothing has gone beyond',
    async (until, beyond, flag) => {
      await using run = await startFlow([...chain, shellJob('migrate', 'exit 0', needs('db'))], { until });
      const receipt = await run.flow.ended;
      expect(receipt.resources.map(({ outcome }) => outcome)).toEqual(Array(4).fill('stopped'));
      const reached = run.happenings.flatMap((it) => (it.type === 'service-state' ? [it.state] : []));
      expect(reached).not.toContain(beyond);
      expect(await run.runState('stopped')).toMatchObject({ cause: expect.stringContaining(flag) });
      expect(run.flow.snapshot().failure).toBeNull();
    },
  );

  test('that cannot be reached fails the run', async () => {
    const broken = shellService('api', staying(), { spec: { build: 'echo no such thing; exit 1' } });
    await using run = await startFlow([tcpService('db'), broken], { until: 'initialized' });
    await run.flow.ended;
    expect(run.flow.snapshot().failure).toMatchObject({ service: api });
  });
});

describe('run-29 a run that ends with its first service', () => {
  test('ends well when all that runs still was there for it', async () => {
    const check = shellService(
      'check',
      '[ -n "$SKEIN__ENDPOINT__SITE__DB__TCP__TCP" ] && exit 0',
      needs('db'),
    );
    await using run = await startFlow([tcpService('db'), check], { until: 'first-exit' });
    await run.flow.ended;
    expect(run.flow.snapshot().failure).toBeNull();
    expect(await run.runState('stopped')).toMatchObject({ cause: 'site/check has ended' });
  });

  test('fails when others are cut off', async () => {
    await using run = await startFlow([shellService('a', 'sleep 600; exit 1'), shellService('b', 'exit 0')], {
      until: 'first-exit',
    });
    await run.flow.ended;
    expect(run.flow.snapshot().failure).toMatchObject({
      code: 'SK1411',
      service: 'site/b',
      message: expect.stringContaining('site/a was at work'),
    });
  });

  test('fails with the one that failed, whatever its restart policy', async () => {
    await using run = await startFlow([shellService('a', 'exit 7'), tcpService('db')], {
      until: 'first-exit',
    });
    await run.flow.ended;
    expect(run.flow.snapshot().failure).toMatchObject({ service: 'site/a', exit: { code: 7 } });
  });

  test('goes on after a job that others wait for', async () => {
    const services = [shellJob('migrate', 'exit 0'), shellService('check', 'exit 0', needs('migrate'))];
    await using run = await startFlow(services, { until: 'first-exit' });
    await run.flow.ended;
    expect(await run.runState('stopped')).toMatchObject({ cause: 'site/check has ended' });
    expect(run.flow.snapshot().failure).toBeNull();
  });
});
