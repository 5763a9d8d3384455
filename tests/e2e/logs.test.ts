/** The output of services: nothing lost, nothing torn, in order, of a live run and of one that has ended (U-13, U-14). */
import { describe, expect, test } from 'vitest';
import { shellJob, shellService, staying } from '../support/declared-services.ts';
import type { Document } from '../support/running-command.ts';
import { Site } from '../support/site.ts';

test('U-14 `logs --json` has time, service, stream and text, live and after the end', async () => {
  await using site = new Site();
  site.declare('output', [
    shellService('a', `echo out; echo err >&2; printf 'ä €\\n'; ${staying('echo bye')}`),
    shellService('b', `echo of b; ${staying()}`),
  ]);
  const run = site.start('run', '--json');
  await Promise.all([run.line('output/a', 'up'), run.line('output/b', 'up')]);
  const live = await site.jsonLines('logs', 'a');
  expect(texts(live, 'stdout')).toEqual(['out', 'ä €', 'up']);
  expect(texts(live, 'stderr')).toEqual(['err']);
  for (const line of live)
    expect(line).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: 'output/a',
      stream: expect.stringMatching(/^std(out|err)$/),
      text: expect.any(String),
    });
  run.signal('SIGINT');
  await run.ended;
  const ended = await site.jsonLines('logs', 'output/a');
  expect(ended.slice(0, live.length)).toEqual(live);
  expect(texts(ended, 'stdout')).toEqual(['out', 'ä €', 'up', 'bye']);
  const all = await site.jsonLines('logs');
  expect(new Set(all.map(({ service }) => service))).toEqual(new Set(['output/a', 'output/b']));
  site.expectNothingLeft();
});

test('U-14 `logs --follow` goes on until the run ends; `--tail` and `--grep` choose', async () => {
  await using site = new Site();
  site.declare('output', [
    shellService('a', `for n in 1 2 3 4 5; do echo line $n; done; ${staying('echo bye')}`),
  ]);
  expect((await site.skein('run', '--detach', '--wait')).status).toBe(0);
  const follower = site.start('logs', '--follow', '--json');
  await follower.line('output/a', 'up');
  expect((await site.skein('logs', '--tail', '2')).stdout).toBe('a | line 5\na | up\n');
  expect((await site.skein('logs', '--grep', '[24]$')).stdout).toBe('a | line 2\na | line 4\n');
  expect((await site.skein('stop')).status).toBe(0);
  const { status, stdout } = await follower.ended;
  expect(status).toBe(0);
  expect(stdout.trimEnd().split('\n').at(-1)).toContain('"bye"');
  expect((await site.skein('logs', '--tail', '1')).stdout).toBe('a | bye\n');
  site.expectNothingLeft();
});

test('U-13 lines of services that print at once are never torn', async () => {
  await using site = new Site();
  const names = ['a', 'b', 'c'];
  // In pieces, so that a write ends within a line as often as not.
  const print = (name: string): string => `
    for n in $(seq 1 400); do printf '${name} %s ' $n; printf 'has said ${name.repeat(200)}'; printf ' to the end\\n'; done`;
  site.declare(
    'torn',
    names.map((name) => shellJob(name, print(name))),
  );
  const { status, stdout } = await site.skein('run');
  expect(status).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(1_200);
  for (const name of names) {
    const own = lines.filter((line) => line.startsWith(`${name} | `));
    expect(own).toEqual(
      Array.from(
        { length: 400 },
        (_, index) => `${name} | ${name} ${index + 1} has said ${name.repeat(200)} to the end`,
      ),
    );
  }
  site.expectNothingLeft();
});

test('U-13 of 100,000 lines none is lost, in order, shown and kept', async () => {
  await using site = new Site();
  site.declare('many', [shellJob('a', 'seq -f "line %.0f" 1 100000')]);
  const { status, stdout } = await site.skein('run');
  expect(status).toBe(0);
  const expected = Array.from({ length: 100_000 }, (_, index) => `a | line ${index + 1}`);
  expect(firstDifference(stdout.trimEnd().split('\n'), expected)).toBe(undefined);
  const { stdout: kept } = await site.skein('logs');
  expect(firstDifference(kept.trimEnd().split('\n'), expected)).toBe(undefined);
  site.expectNothingLeft();
});

test('U-13 invalid UTF-8 is survived, and what stands around it is kept', async () => {
  await using site = new Site();
  site.declare('bytes', [
    shellJob('a', `printf 'before \\377\\376 after\\n\\303\\n\\342\\202\\n'; echo next`),
  ]);
  const { status, stdout } = await site.skein('run');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^a \| before \ufffd+ after\na \| \ufffd\na \| \ufffd+\na \| next\n$/);
  expect((await site.skein('logs')).stdout).toBe(stdout);
  site.expectNothingLeft();
});

describe('U-13 a line of 10 MB', () => {
  const long = shellJob('a', `head -c 10000000 /dev/zero | tr '\\0' x; echo; echo next`);
  const intact = [10_000_004, 'a | next'.length, 0];

  test('is intact where it is shown, also when the run ends right after it', async () => {
    await using site = new Site();
    site.declare('long', [long]);
    const { status, stdout } = await site.skein('run');
    expect(status).toBe(0);
    expect(lengths(stdout)).toEqual(intact);
    expect(/^a \| x+\na \| next\n$/.test(stdout)).toBe(true);
    site.expectNothingLeft();
  });

  test('is intact where it is kept', async () => {
    await using site = new Site();
    site.declare('long', [long]);
    expect((await site.skein('run', '--quiet')).status).toBe(0);
    const { stdout } = await site.skein('logs');
    expect(lengths(stdout)).toEqual(intact);
    expect(/^a \| x+\na \| next\n$/.test(stdout)).toBe(true);
  });
});

test('U-13 ANSI sequences are stripped where no terminal reads', async () => {
  await using site = new Site();
  site.declare('colours', [shellJob('a', `printf '\\033[31mred\\033[0m and plain\\n'`)]);
  expect((await site.skein('run')).stdout).toBe('a | red and plain\n');
  expect((await site.skein('logs')).stdout).toBe('a | red and plain\n');
});

test('U-13 progress bars that return the carriage do not flood', async () => {
  await using site = new Site();
  site.declare('bars', [
    shellJob('a', `for n in $(seq 1 2000); do printf '\\r%s %%' $n; done; echo; echo done`),
  ]);
  const { stdout } = await site.skein('run');
  const lines = stdout.trimEnd().split('\n');
  expect(lines.at(-1)).toBe('a | done');
  expect(lines.length).toBeLessThan(1_000);
  expect(lines.at(-2)).toContain('2000 %');
  expect(stdout).not.toContain('\r');
});

test('what a service prints last is shown, also without a line break', async () => {
  await using site = new Site();
  site.declare('last', [shellJob('a', `printf 'no break'`)]);
  const { stdout } = await site.skein('run');
  expect(stdout).toBe('a | no break\n');
  expect((await site.skein('logs')).stdout).toBe('a | no break\n');
});

test('`logs` before any run is a failure that says so', async () => {
  await using site = new Site();
  site.declare('none', [shellJob('a', 'true')]);
  const { status, stdout, stderr } = await site.skein('logs');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toContain('SK1513');
});

function texts(lines: readonly Document[], stream: string): unknown[] {
  return lines.filter((line) => line['stream'] === stream).map(({ text }) => text);
}

/** Instead of comparing wholes, whose difference would fill the screen. */
function firstDifference(actual: readonly string[], expected: readonly string[]): object | undefined {
  const length = Math.max(actual.length, expected.length);
  for (let at = 0; at < length; at++)
    if (actual[at] !== expected[at])
      return { at, actual: actual[at], expected: expected[at], lengths: [actual.length, expected.length] };
  return undefined;
}

function lengths(text: string): number[] {
  return text.split('\n').map((line) => line.length);
}
