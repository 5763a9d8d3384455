/** The registry of process groups, on real processes: nothing is lost, and nothing foreign is signalled. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  clearRegistry,
  entriesOfWorkspace,
  killGroup,
  PROCESS_GROUP_VARIABLE,
  type RecoveryReceipt,
  type RegisteredGroup,
  Registrar,
  type RegistryEntry,
  readRegistry,
  recoverGroup,
  recoveryReceipt,
  registryFolder,
  type Settlement,
  settle,
  spawnGroup,
  startIdentity,
} from '../../src/processes/index.ts';
import { bundle, isAlive as isGroupAlive } from '../sdk/launch.ts';
import { isAlive, processesWith } from '../support/process-scan.ts';
import { pidsIn, printed, shell } from './fixtures.ts';
import type { Registered } from './registrar.ts';

let program: Awaited<ReturnType<typeof bundle>>;
beforeAll(async () => {
  program = await bundle('tests/processes/registrar.ts');
});
afterAll(() => program.dispose());

let root: string;
let folder: string;
const groups = new Set<number>();
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'rg-')));
  folder = registryFolder({ XDG_STATE_HOME: join(root, 'state') });
});
afterEach(async () => {
  await Promise.all([...groups].map((pid) => killGroup({ pid })));
  groups.clear();
  rmSync(root, { recursive: true, force: true });
});

const staying = 'echo up; while :; do sleep 600; done';
/** Does something at SIGTERM. Nobody reads what the shell would say of its killed child, and writing it would kill it. */
const atTerm = (what: string): string =>
  `exec 2> /dev/null; trap '${what}' TERM; echo up; while :; do sleep 600 & wait; done`;
const purpose = { kind: 'service', workspace: 'shop', run: 'r1', service: 'shop/api' } as const;

/** A group that this process has registered. */
async function register(script: string, stopSignal?: NodeJS.Signals): Promise<RegisteredGroup> {
  const options = shell(script, { environment: { PATH: process.env['PATH'] ?? '', FOLDER: folder } });
  const registration = { workspaceRoot: root, purpose, ...(stopSignal && { stopSignal }) };
  const group = await new Registrar(folder).spawn(options, registration);
  groups.add(group.process.pid);
  return group;
}

/** Groups whose registrar was killed when all of them, or `count`, had said `up`; in the order of their scripts. */
async function orphaned(scripts: readonly string[], count = scripts.length): Promise<readonly Registered[]> {
  const registrar = spawn(process.execPath, [program.file, folder, root, ...scripts], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const registered: Registered[] = [];
  for await (const line of createInterface({ input: registrar.stdout })) {
    const group = JSON.parse(line) as Registered;
    groups.add(group.pid);
    if (registered.push(group) === count) break;
  }
  registrar.kill('SIGKILL');
  await once(registrar, 'exit');
  return registered.toSorted((one, other) => one.index - other.index);
}

async function orphan(script = staying): Promise<Registered> {
  const [group] = await orphaned([script]);
  if (group === undefined) throw new Error('nothing was registered');
  return group;
}

/** Runs the same command, and is nobody's business. */
async function decoy(script = staying): Promise<number> {
  const group = await spawnGroup(shell(script));
  groups.add(group.pid);
  await printed(group.stdout, 'up');
  return group.pid;
}

/** For a poll of what certainly comes, on a slow machine. */
const lasting = { timeout: 20_000 };
const patient = { timeoutMs: 20_000 };
const settleAll = (options = patient): Promise<readonly Settlement[]> =>
  settle([readRegistry(folder)], options);
const outcomes = async (options = patient): Promise<readonly string[]> =>
  (await settleAll(options)).map(({ outcome }) => outcome);
const fileOf = ({ secret }: Pick<Registered, 'secret'>): string => join(folder, secret);

/** Changes the second line of a record. */
function editLeader(group: Registered, changes: object): void {
  const [first, second = ''] = readFileSync(fileOf(group), 'utf8').split('\n');
  writeFileSync(fileOf(group), `${first}\n${JSON.stringify({ ...JSON.parse(second), ...changes })}\n`);
}

/** Leaves what a registrar leaves that is killed before it can write the second line. */
function cutToReservation(group: Pick<Registered, 'secret'>): void {
  const [first] = readFileSync(fileOf(group), 'utf8').split('\n');
  writeFileSync(fileOf(group), `${first}\n`);
}

describe('T-7 a group is on record', () => {
  test('before it runs, and says what it is for', async () => {
    const group = await register(`cat "$FOLDER/$${PROCESS_GROUP_VARIABLE}"; exit 0`, 'SIGINT');
    const [reservation = ''] = (await text(group.process.stdout)).split('\n');
    expect(JSON.parse(reservation)).toMatchObject({
      secret: group.secret,
      workspaceRoot: root,
      purpose,
      commandLine: expect.stringContaining('/bin/sh -c cat'),
      stopSignal: 'SIGINT',
      reservedAt: expect.any(Number),
      registrar: { pid: process.pid },
    });
  });

  test('with the identity of its leader as soon as it runs, for this user alone', async () => {
    const { process: leader, secret } = await register(staying);
    expect(readRegistry(folder)).toEqual([
      expect.objectContaining({
        secret,
        record: expect.objectContaining({
          is: 'registered',
          leader: expect.objectContaining({ pid: leader.pid }),
        }),
      }),
    ]);
    expect(execFileSync('ls', ['-ld', folder, join(folder, secret)], { encoding: 'utf8' })).toMatch(
      /^drwx------[^\n]*\n-rw-------/,
    );
  });

  test('of its workspace, whichever way to it was taken', async () => {
    const [link, other] = [join(root, 'link'), join(root, 'other')];
    symlinkSync(root, link);
    const { process: leader, secret } = await new Registrar(folder).spawn(shell(staying), {
      workspaceRoot: link,
      purpose,
    });
    groups.add(leader.pid);
    const found = (path: string): string[] =>
      entriesOfWorkspace(readRegistry(folder), path).map((entry) => entry.secret);
    expect([found(root), found(link), found(other)]).toEqual([[secret], [secret], []]);
  });

  test('until all of it is dead, and no longer', async () => {
    const group = await register('trap "" TERM; (trap "" TERM; sleep 600) & echo $!; echo up; exit 0');
    const [child = 0] = pidsIn(await printed(group.process.stdout, 'up'));
    await group.process.exited;
    expect(await group.stop({ signal: 'SIGTERM', timeoutMs: 50, killTimeoutMs: 10_000 })).toMatchObject({
      outcome: 'forced',
    });
    expect(isAlive(child)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
    expect(await group.kill()).toEqual({ outcome: 'stopped' });
  });

  test('or is not started at all: a command that is not there leaves no record', async () => {
    const wrong = { command: ['no-such-command'], cwd: '/', environment: {} } as const;
    await expect(new Registrar(folder).spawn(wrong, { workspaceRoot: root, purpose })).rejects.toMatchObject({
      code: 'SK1601',
    });
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['a file stands in place of the folder', () => writeFileSync(folder, ''), 'SK1613'],
    ['the folder is a link', () => symlinkSync(root, folder), 'SK1613'],
    ['the folder is open to others', () => mkdirSync(folder, { mode: 0o755 }), 'SK1613'],
  ])('or is not started at all: %s', async (_what, put, code) => {
    mkdirSync(dirname(folder), { recursive: true });
    put();
    const marker = join(root, 'started');
    await expect(register(`touch ${marker}`)).rejects.toMatchObject({ code });
    expect(existsSync(marker)).toBe(false);
  });

  test('or is killed at once where its record was taken away while it was started', async () => {
    const marker = join(root, 'alive');
    const spawning = register(`echo $$ > ${marker}; ${staying}`);
    let records: readonly string[] = [];
    // Both go on by microtasks, so that this looks between any two steps of the other.
    while (records.length === 0) {
      await Promise.resolve();
      records = existsSync(folder) ? readdirSync(folder) : [];
    }
    rmSync(join(folder, records[0] ?? ''));
    await expect(spawning).rejects.toMatchObject({ code: 'SK1614' });
    expect(readdirSync(folder)).toEqual([]);
    // Its command line holds the path.
    expect(processesWith(marker)).toEqual([]);
  });

  test('or is not started for want of disk space, and the error says so', async (context) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k,mode=700', 'tmpfs', folder], { stdio: 'ignore' });
    } catch {
      context.skip('this user may not mount a small disk');
    }
    try {
      const marker = join(root, 'started');
      expect(() => writeFileSync(join(folder, 'filling'), Buffer.alloc(1024 * 1024))).toThrow('ENOSPC');
      await expect(register(`touch ${marker}`)).rejects.toMatchObject({
        code: 'SK1614',
        message: expect.stringMatching(/cannot be registered, so nothing is started.*ENOSPC/),
      });
      expect(existsSync(marker)).toBe(false);
      expect(readdirSync(folder)).toEqual(['filling']);
    } finally {
      execFileSync('umount', [folder]);
    }
  });
});

describe('T-8 when the registrar was killed', () => {
  test('its groups are found, proven and stopped; a stranger with the same command lives on', async () => {
    const [group, stranger] = [await orphan(), await decoy()];
    expect(isAlive(group.pid)).toBe(true);
    expect(await outcomes()).toEqual(['stopped']);
    expect([group.pid, stranger].map(isAlive)).toEqual([false, true]);
    expect(readdirSync(folder)).toEqual([]);
    expect(await settleAll()).toEqual([]);
  });

  test.each([1, 3, 10, 17])(
    'T-13 after %i of 20 starts, nothing of it runs and no record remains',
    async (count) => {
      const script = `export MARK=${root}; ${staying}`;
      const stranger = await decoy();
      await orphaned(
        Array.from({ length: 20 }, () => script),
        count,
      );
      for (const outcome of await outcomes()) expect(['stopped', 'gone']).toContain(outcome);
      await clearRegistry(folder, { dryRun: false });
      expect(processesWith(root)).toEqual([]);
      expect(readdirSync(folder)).toEqual([]);
      expect(isAlive(stranger)).toBe(true);
    },
  );

  test('what ignores its stop signal is killed', async () => {
    const group = await orphan(`trap '' TERM; ${staying}`);
    expect(await outcomes({ timeoutMs: 50 })).toEqual(['forced']);
    expect(isAlive(group.pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('without a budget it is killed at once', async () => {
    const group = await orphan(atTerm(`touch ${root}/asked`));
    expect(await outcomes({ timeoutMs: 0 })).toEqual(['forced']);
    expect([isAlive(group.pid), existsSync(join(root, 'asked'))]).toEqual([false, false]);
  });

  test('a group of which the leader has left is proven by its session and its secret', async () => {
    const group = await orphan('sleep 600 & echo up; exit 0');
    await expect.poll(() => startIdentity(group.pid), lasting).toBeUndefined();
    expect(isGroupAlive(group.pid)).toBe(true);
    expect(await outcomes()).toEqual(['stopped']);
    expect(isGroupAlive(group.pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a group of which the leader has left is not touched where nothing in it has the secret', async () => {
    const group = await orphan('env -i /bin/sleep 600 & echo up; exit 0');
    await expect.poll(() => startIdentity(group.pid), lasting).toBeUndefined();
    await expect
      .poll(() => execFileSync('ps', ['-eo', 'pgid=,args='], { encoding: 'utf8' }))
      .toMatch(new RegExp(`^ *${group.pid} /bin/sleep`, 'm'));
    expect(await settleAll()).toMatchObject([{ outcome: 'unproven', why: 'leaderless' }]);
    expect(isGroupAlive(group.pid)).toBe(true);
    expect(existsSync(fileOf(group))).toBe(true);
  });

  test('and had not come to name its group, that is found by its secret', async () => {
    const group = await orphan();
    cutToReservation(group);
    const stranger = await decoy();
    expect(await outcomes()).toEqual(['stopped']);
    expect([group.pid, stranger].map(isAlive)).toEqual([false, true]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('and had not come to name a group that is dead, the record goes', async () => {
    const group = await orphan();
    cutToReservation(group);
    await killGroup(group);
    expect(await outcomes()).toEqual(['gone']);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(process.platform === 'linux')(
    'and had not come to name one of two that have the secret, both stay',
    async () => {
      const group = await orphan(`setsid sleep 600 & echo $! > ${root}/other; ${staying}`);
      const other = Number(readFileSync(join(root, 'other'), 'utf8'));
      groups.add(other);
      const session = (): string =>
        execFileSync('ps', ['-o', 'sid=', '-p', String(other)], { encoding: 'utf8' });
      await expect.poll(session, lasting).toMatch(new RegExp(`^ *${other}$`, 'm'));
      cutToReservation(group);
      expect(await settleAll()).toMatchObject([{ outcome: 'unproven', why: 'scattered' }]);
      expect([group.pid, other].map(isAlive)).toEqual([true, true]);
    },
  );

  test('groups are stopped in the order that the caller gives', async () => {
    const noting = (name: string): string => atTerm(`echo ${name} >> ${root}/order; exit 0`);
    const registered = await orphaned([noting('database'), noting('api'), noting('web')]);
    const entries = new Map(readRegistry(folder).map((entry) => [entry.secret, entry]));
    const layer = (index: number): RegistryEntry[] => [
      entries.get(registered[index]?.secret ?? '') ?? fail(),
    ];
    const settled = await settle([layer(2), layer(1), layer(0)], patient);
    expect(settled.map(({ outcome }) => outcome)).toEqual(['stopped', 'stopped', 'stopped']);
    expect(readFileSync(join(root, 'order'), 'utf8')).toBe('web\napi\ndatabase\n');
  });

  test('an impatient person ends the wait, and the record stays', async () => {
    const group = await orphan(atTerm(`touch ${root}/asked`));
    const reason = new Error('Ctrl-C');
    const impatience = new AbortController();
    const settling = settle([readRegistry(folder)], { ...patient, abort: impatience.signal });
    await expect.poll(() => existsSync(join(root, 'asked')), lasting).toBe(true);
    impatience.abort(reason);
    await expect(settling).rejects.toBe(reason);
    expect([isAlive(group.pid), existsSync(fileOf(group))]).toEqual([true, true]);
  });
});

describe('T-8 nothing is signalled that is not proven', () => {
  test('a stranger on a re-used pid lives on, and the record of the dead goes', async () => {
    const group = await orphan();
    await killGroup({ pid: group.pid });
    const stranger = await decoy();
    editLeader(group, { pid: stranger, start: '1' });
    expect(await outcomes()).toEqual(['gone']);
    expect([isAlive(stranger), existsSync(fileOf(group))]).toEqual([true, false]);
  });

  test('nor is what has the secret under another number than its record says; it is named, and the record stays', async () => {
    const group = await orphan();
    editLeader(group, { start: '1' });
    expect(await settleAll()).toMatchObject([
      { outcome: 'strayed', strays: expect.arrayContaining([expect.objectContaining({ pid: group.pid })]) },
    ]);
    expect([isAlive(group.pid), existsSync(fileOf(group))]).toEqual([true, true]);
    expect(await clearRegistry(folder, { dryRun: false })).toEqual([]);
  });

  test('a group of another boot is left running, kept and told, and the others are stopped', async () => {
    const [strange, plain] = await orphaned([staying, staying]);
    if (strange === undefined || plain === undefined) return fail();
    editLeader(strange, { boot: 'an earlier one' });
    expect((await outcomes()).toSorted()).toEqual(['stopped', 'unproven']);
    expect([strange.pid, plain.pid].map(isAlive)).toEqual([true, false]);
    expect(readdirSync(folder)).toEqual([strange.secret]);
  });

  test.each([
    ['half-written', (record: string) => record.slice(0, -5)],
    ['empty', () => ''],
    ['of a version to come', () => '{"version":9}\n'],
  ])('a record that is %s is kept and told, and the others are stopped', async (_what, damage) => {
    const [strange, plain] = await orphaned([staying, staying]);
    if (strange === undefined || plain === undefined) return fail();
    writeFileSync(fileOf(strange), damage(readFileSync(fileOf(strange), 'utf8')));
    expect((await settleAll()).find(({ entry }) => entry.secret === strange.secret)).toMatchObject({
      outcome: 'unproven',
      why: 'damaged',
    });
    expect([strange.pid, plain.pid].map(isAlive)).toEqual([true, false]);
    expect(readdirSync(folder)).toEqual([strange.secret]);
  });

  test('what a living registrar is about to start is left to it', async () => {
    const group = await register(staying);
    await printed(group.process.stdout, 'up');
    cutToReservation(group);
    expect(await outcomes()).toEqual(['starting']);
    expect(isAlive(group.process.pid)).toBe(true);
    expect(readdirSync(folder)).toEqual([group.secret]);
  });

  test('a registry that cannot be read is an error, and none is no error', async () => {
    expect(readRegistry(folder)).toEqual([]);
    mkdirSync(dirname(folder), { recursive: true });
    writeFileSync(folder, '');
    expect(() => readRegistry(folder)).toThrow(expect.objectContaining({ code: 'SK1613' }));
  });

  test('files that are no records are not looked at', async () => {
    await orphan();
    writeFileSync(join(folder, '.DS_Store'), 'x');
    expect(await outcomes()).toEqual(['stopped']);
    expect(readdirSync(folder)).toEqual(['.DS_Store']);
  });
});

describe('T-9 a group that is not proven is recovered by receipt', () => {
  /** As it comes back from a file. */
  const written = (receipt: object): unknown => JSON.parse(JSON.stringify(receipt));

  /** Once the group has come to rest: a shell and what it waits for. */
  async function receiptOf({ pid }: Registered): Promise<RecoveryReceipt> {
    const words = async (): Promise<string[]> => {
      const { members } = await recoveryReceipt(folder, pid);
      return members.map(({ command }) => command.split(' ')[0] ?? '');
    };
    await expect.poll(words, lasting).toEqual(['/bin/sh', 'sleep']);
    return recoveryReceipt(folder, pid);
  }

  test('which shows what would be signalled; then it is dead and its record gone', async () => {
    const group = await orphan();
    const stranger = await decoy();
    editLeader(group, { boot: 'an earlier one' });
    const receipt = await receiptOf(group);
    expect(receipt).toMatchObject({
      group: group.pid,
      record: fileOf(group),
      workspaceRoot: root,
      purpose: { kind: 'service', service: 'shop/s0' },
      verdict: 'another-boot',
      stopSignal: 'SIGTERM',
    });
    expect(receipt.members).toContainEqual(
      expect.objectContaining({ pid: group.pid, command: expect.stringContaining('/bin/sh -c') }),
    );
    expect(isAlive(group.pid)).toBe(true);
    await recoverGroup(folder, written(receipt), patient);
    expect([group.pid, stranger].map(isAlive)).toEqual([false, true]);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('and killed where it ignores its stop signal', async () => {
    const group = await orphan(`trap '' TERM; ${staying}`);
    editLeader(group, { boot: 'an earlier one' });
    await recoverGroup(folder, written(await receiptOf(group)), { timeoutMs: 50 });
    expect(isAlive(group.pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('and a damaged record is found by its secret', async () => {
    const group = await orphan();
    writeFileSync(fileOf(group), 'gibberish');
    const receipt = await receiptOf(group);
    expect(receipt).toMatchObject({ verdict: 'damaged', workspaceRoot: null, leader: null });
    await recoverGroup(folder, written(receipt), patient);
    expect(isAlive(group.pid)).toBe(false);
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each([
    ['a member', { members: [] }],
    ['the verdict', { verdict: 'own' }],
    ['the signal', { stopSignal: 'SIGKILL' }],
    ['something unheard-of', { more: 1 }],
  ])('and nothing is done where %s differs', async (_what, change) => {
    const group = await orphan();
    editLeader(group, { boot: 'an earlier one' });
    const receipt = await receiptOf(group);
    const expected = written({ ...receipt, ...change });
    await expect(recoverGroup(folder, expected, patient)).rejects.toMatchObject({
      code: 'SK1619',
      message: expect.stringContaining(Object.keys(change)[0] ?? ''),
    });
    expect([isAlive(group.pid), existsSync(fileOf(group))]).toEqual([true, true]);
  });

  test.each([
    ['nothing', null],
    ['a number', 5],
    ['a group of everybody', { group: 1 }],
  ])('and %s is no receipt', async (_what, expected) => {
    await expect(recoverGroup(folder, expected, patient)).rejects.toMatchObject({ code: 'SK1619' });
  });

  test('but never one that is not on record', async () => {
    const stranger = await decoy();
    await expect(recoveryReceipt(folder, stranger)).rejects.toMatchObject({ code: 'SK1618' });
    expect(isAlive(stranger)).toBe(true);
  });

  test('of a group whose number a stranger has, nobody would be signalled', async () => {
    const group = await orphan();
    editLeader(group, { start: '1' });
    const receipt = await recoveryReceipt(folder, group.pid);
    expect(receipt).toMatchObject({ verdict: 'dead', members: [] });
    await recoverGroup(folder, written(receipt), patient);
    expect([isAlive(group.pid), existsSync(fileOf(group))]).toEqual([true, false]);
  });
});

test('T-10 clearing takes what is dead and nothing else', async () => {
  const [alive, dead] = await orphaned([staying, staying]);
  if (alive === undefined || dead === undefined) return fail();
  await killGroup(dead);
  const damaged = join(folder, 'e'.repeat(32));
  const draft = join(folder, `${'f'.repeat(32)}.999999999.draft`);
  for (const file of [damaged, draft]) writeFileSync(file, 'half');
  const useless = [draft, fileOf(dead)].toSorted();
  expect((await clearRegistry(folder, { dryRun: true })).toSorted()).toEqual(useless);
  expect(readdirSync(folder)).toHaveLength(4);
  expect((await clearRegistry(folder, { dryRun: false })).toSorted()).toEqual(useless);
  expect(readdirSync(folder).toSorted()).toEqual([alive.secret, 'e'.repeat(32)].toSorted());
  expect(isAlive(alive.pid)).toBe(true);
  expect(await clearRegistry(join(root, 'none'), { dryRun: false })).toEqual([]);
});

function fail(): never {
  throw new Error('a group is missing');
}
