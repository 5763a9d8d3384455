import { Client, credentials, status } from '@grpc/grpc-js';
import { describe, expect, test, vi } from 'vitest';
import { AgentsHost, validateSpec } from '../../src/agents/host/index.ts';
import { callableClient } from '../../src/agents/wire/index.ts';
import { AgentService } from '../../src/gen/skein/agent/v1/agent_pb.js';
import { descriptorImage, python, pythonLacks, pythonProgram } from '../support/python-agent.ts';
import { makeService, named, Workplace } from './support.ts';

if (pythonLacks !== undefined) console.warn(`tests of the Python agent are skipped: ${pythonLacks}`);

describe.skipIf(pythonLacks !== undefined)(
  'A-1 an agent in Python, without an SDK, from the contract alone (needs python3-grpcio)',
  () => {
    test('runs services, tells their news and output, and ends', async () => {
      await using place = new Workplace();
      const { signal } = new AbortController();
      const command = [python, pythonProgram, await descriptorImage(place.folder)] as const;
      await using host = new AgentsHost({
        workspaceRoot: place.folder,
        agentPaths: [],
        builtIns: new Map([['test/python', { command }]]),
        environment: place.environment,
      });
      const services = ['shop/api', 'shop/job'].map((id) =>
        makeService(id, named('test', 'python'), { spec: { command: 'echo "hello $NAME"; exec sleep 60' } }),
      );
      const [api, job] = await Promise.all(services.map((service) => host.acquire(service, { signal })));
      if (api === undefined || job === undefined) throw new Error('two were asked for');
      expect(api.process.pid).toBe(job.process.pid);
      expect(validateSpec(api.service, api.information.specSchema)).toEqual([]);

      const output: string[] = [];
      const states: number[] = [];
      api.onLog(({ text }) => void output.push(text));
      const ended: (string | undefined)[] = [];
      job.onEvent(
        ({ event }) =>
          void (event.case === 'state' && event.value.exit && ended.push(event.value.exit.cause.case)),
      );
      api.onEvent(({ event }) => void (event.case === 'state' && states.push(event.value.state)));

      await api.load(
        { directory: place.folder, spec: { command: 'echo "hello $NAME"; exec sleep 60' } },
        { signal },
      );
      await job.load({ directory: place.folder, spec: { command: 'exit 3' } }, { signal });
      const proposed = [{ endpoint: 'http', instances: [{ access: 1, host: '127.0.0.1', port: 4_000 }] }];
      expect(
        (await api.init({ proposedNetworkMappings: proposed }, { signal })).networkMappings,
      ).toMatchObject(proposed);
      const started = await api.start({ environment: [{ name: 'NAME', value: 'world' }] }, { signal });
      expect(started.generation).toBe(1n);
      await job.start({}, { signal });
      await vi.waitFor(() => expect([output, ended, states]).toEqual([['hello world'], ['code'], [3]]), {
        timeout: 10_000,
      });
      expect((await api.stop({ timeoutMs: 2_000 }, { signal })).outcome).toBe(1);
      await vi.waitFor(() => expect(states).toEqual([3, 6]), { timeout: 5_000 });
      const group = started.processGroups[0]?.pgid ?? 0;
      expect(() => process.kill(-group, 0)).toThrow(/ESRCH/);

      const exited = api.process.exited;
      await host.close();
      expect(await exited).toMatchObject({ kind: 'exited', code: 0 });
      await place.expectNothingLeft();
    });

    test('A-5 its failures arrive whole; A-8 it refuses a stranger', async () => {
      await using place = new Workplace();
      const { signal } = new AbortController();
      const command = [python, pythonProgram, await descriptorImage(place.folder)] as const;
      await using host = new AgentsHost({
        workspaceRoot: place.folder,
        agentPaths: [],
        builtIns: new Map([['test/python', { command }]]),
        environment: place.environment,
      });
      const session = await host.acquire(makeService('shop/api', named('test', 'python')), { signal });
      expect(validateSpec(session.service, session.information.specSchema)[0]?.message).toBe(
        '`spec` of shop/api lacks `command`: text (run by /bin/sh)',
      );
      await expect(session.load({}, { signal })).rejects.toMatchObject({
        failureCode: 'SPEC',
        violations: [{ pointer: '', message: 'lacks `command`' }],
      });
      await expect(session.start({}, { signal })).rejects.toMatchObject({ code: 'SK1327' });
      await expect(session.lint({}, { signal })).rejects.toMatchObject({ code: 'SK1328' });
      const channel = new Client(`unix:${place.socket()}`, credentials.createInsecure());
      const stranger = callableClient(AgentService, channel, '0'.repeat(64));
      await expect(stranger.getAgentInformation({})).rejects.toMatchObject({ code: status.UNAUTHENTICATED });
      channel.close();
    });
  },
);
