/** A run on a real terminal: what its line discipline sends at Ctrl-C, and what a closed one leaves behind (T-5). */
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { needs, shellService, staying } from '../support/declared-services.ts';
import { Site } from '../support/site.ts';

const ctrlC = '\u0003';

/** `script` of util-linux makes the terminal. */
const hasTerminals = process.platform === 'linux' && existsSync('/usr/bin/script');

test.runIf(hasTerminals)(
  'T-5 Ctrl-C on a terminal stops the services in order, each told once and gracefully',
  async () => {
    await using site = new Site();
    site.declare('typed', [
      shellService('db', gentle('db')),
      shellService('api', gentle('api'), needs('db')),
    ]);
    const terminal = site.startOnTerminal('run');
    await terminal.output('api | up');
    terminal.type(ctrlC);
    const { stdout } = await terminal.ended;
    expect(stdout).toContain('stop: 2 in 2 layers');
    expect(site.lines('order')).toEqual(['api term', 'db term']);
    site.expectNothingLeft();
  },
);

test.runIf(hasTerminals)(
  'T-5 a terminal that is closed leaves nothing, and the services are stopped in order',
  async () => {
    await using site = new Site();
    site.declare('closed', [
      shellService('db', gentle('db')),
      shellService('api', gentle('api'), needs('db')),
    ]);
    const terminal = site.startOnTerminal('run');
    await terminal.output('api | up');
    terminal.signal('SIGKILL');
    await site.untilNothingRuns();
    expect(site.lines('order')).toEqual(['api term', 'db term']);
    site.expectNothingLeft();
  },
);

test.runIf(hasTerminals)('F-9 on a terminal a failure does not end the run', async () => {
  await using site = new Site();
  site.declare('lasting', [
    shellService('bad', 'exit 3', { restart: 'never' }),
    shellService('good', staying()),
  ]);
  const terminal = site.startOnTerminal('run');
  await Promise.all([terminal.output('bad failed'), terminal.output('good | up')]);
  const services = await site.services();
  expect(services.get('lasting/bad')).toMatchObject({ state: 'failed', exit: { code: 3 } });
  expect(services.get('lasting/good')).toMatchObject({ state: 'running', ready: true });
  terminal.type(ctrlC);
  await terminal.ended;
  site.expectNothingLeft();
});

/** Notes each signal, and ends by TERM alone. */
function gentle(name: string): string {
  return `trap 'echo ${name} int >> order' INT; trap 'echo ${name} hup >> order' HUP
    trap 'echo ${name} term >> order; exit 0' TERM; echo up; while :; do sleep 0.1; done`;
}
