/** Whose a listener is, asked of the system about real processes. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type GroupProcess,
  killGroup,
  listenerOwnership,
  PROCESS_GROUP_VARIABLE,
  type ProcessIdentity,
  processIdentity,
  spawnGroup,
} from '../../src/processes/index.ts';
import { path, printed } from './fixtures.ts';

/** Prints its port and its pid. */
const serve = `
  const server = require('node:net').createServer();
  server.listen(0, '127.0.0.1', () => console.log('at ' + server.address().port + ' by ' + process.pid + '.'));
`;
/** The same in a session of its own, whose starter ends at once. */
const daemon = `
  const { spawn } = require('node:child_process');
  spawn(process.execPath, ['-e', process.env.SERVE], { detached: true, stdio: ['ignore', 'inherit', 'ignore'] }).unref();
`;

const environment = { PATH: path, NODE: process.execPath, SERVE: serve, DAEMON: daemon };
const groups: GroupProcess[] = [];
const strays: number[] = [];

afterEach(async () => {
  for (const group of groups.splice(0)) await killGroup(group);
  for (const pid of strays.splice(0)) end(pid);
});

interface Running {
  readonly leader: ProcessIdentity;
  readonly port: number;
  readonly pid: number;
}

async function running(
  script: string,
  { word = '.', ...variables }: { readonly word?: string } & Record<string, string> = {},
): Promise<Running> {
  const group = await spawnGroup({
    command: ['/bin/sh', '-c', script],
    cwd: '/',
    environment: { ...environment, ...variables },
  });
  groups.push(group);
  const output = await printed(group.stdout, word);
  const [, port, pid] = /at (\d+) by (\d+)\./.exec(output) ?? [];
  const leader = await processIdentity(group.pid);
  if (leader === undefined) throw new Error('it has ended');
  return { leader, port: Number(port), pid: Number(pid) };
}

const owner = (port: number, leaders: readonly ProcessIdentity[]) =>
  listenerOwnership({ host: '127.0.0.1', port }, leaders);
/** Both have been said, in whichever order. */
const daemonised = '"$NODE" -e "$DAEMON" | { read -r line; echo "$line"; exec sleep 600; }';

/** One that was of a group is gone already. */
function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

describe('R-9 a listener is of the service', () => {
  test.each([
    ['whose leader it is', 'exec "$NODE" -e "$SERVE"'],
    ['whose leader only wraps it', '"$NODE" -e "$SERVE" & wait'],
    ['whose child has a session of its own', '"$NODE" -e "$DAEMON; setInterval(() => {}, 1e6)"'],
  ])('%s', async (_title, script) => {
    const { leader, port, pid } = await running(script);
    if (pid !== leader.pid) strays.push(pid);
    expect(await owner(port, [leader])).toMatchObject({ kind: 'own' });
  });

  test('whose daemon was given its secret', async () => {
    const { leader, port, pid } = await running(daemonised, { [PROCESS_GROUP_VARIABLE]: 'a secret' });
    strays.push(pid);
    expect(await owner(port, [leader])).toMatchObject({ kind: 'own' });
  });
});

test('R-9 who has started the service, its agent, may listen for it', async () => {
  await using server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { leader } = await running('echo .; exec sleep 600');
  expect(await owner((server.address() as AddressInfo).port, [leader])).toMatchObject({ kind: 'own' });
});

describe('R-9 a listener is foreign', () => {
  test('whether it was there before the service or came later, and its holder is named', async () => {
    const first = await running('exec "$NODE" -e "$SERVE"');
    const second = await running('exec "$NODE" -e "$SERVE"');
    const isHolder = ({ pid }: Running) => ({
      sockets: expect.stringMatching(/./),
      kind: 'foreign',
      pid,
      command: expect.stringContaining('-e'),
    });
    expect(await owner(first.port, [second.leader])).toEqual(isHolder(first));
    expect(await owner(second.port, [first.leader])).toEqual(isHolder(second));
  });
});

describe('R-9 it cannot be told', () => {
  test('of a daemon that nothing ties to the service', async () => {
    const { leader, port, pid } = await running(daemonised);
    strays.push(pid);
    expect(await owner(port, [leader])).toMatchObject({ kind: 'doubtful' });
  });

  test('where the service has no process group, nor where nobody is seen to listen', async () => {
    const { leader, port } = await running('exec "$NODE" -e "$SERVE"');
    expect(await owner(port, [])).toMatchObject({
      kind: 'doubtful',
      why: 'its agent names no process group',
    });
    expect(await listenerOwnership({ host: '127.0.0.9', port }, [leader])).toEqual({ kind: 'unseen' });
  });
});

test('R-9 the same socket is not looked into again, and another one is', async () => {
  const { leader, port } = await running('exec "$NODE" -e "$SERVE"');
  const own = await owner(port, [leader]);
  const address = { host: '127.0.0.1', port };
  expect(await listenerOwnership(address, [leader], own)).toBe(own);
  const another = { kind: 'own', sockets: 'of another socket' } as const;
  expect(await listenerOwnership(address, [leader], another)).toEqual(own);
});
