import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Supervisor, type SupervisorReport, startSupervisor } from '../../src/control/index.ts';

let folder: string;
let supervisor: Supervisor | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'skein-detach-'));
});

afterEach(() => {
  supervisor?.signal('SIGKILL');
  supervisor?.release();
  rmSync(folder, { recursive: true });
});

describe('U-5 a supervisor', () => {
  test('reports over the pipe, in a session of its own, and its argument arrives whole', async () => {
    supervisor = await start(`
      const { writeSync } = require('node:fs');
      const stat = require('node:fs').existsSync('/proc/self/stat') ? require('node:fs').readFileSync('/proc/self/stat', 'utf8').split(' ') : [];
      writeSync(3, JSON.stringify({ type: 'started', run: process.argv[2] }) + '\\n');
      writeSync(3, JSON.stringify({ type: 'ready', snapshot: { leads: stat.length === 0 || stat[5] === stat[0] } }) + '\\n');
      require('node:fs').closeSync(3);
      setInterval(() => {}, 1000);`);
    expect(await all(supervisor)).toEqual([
      { type: 'started', run: '{"a b": "ü"}' },
      { type: 'ready', snapshot: { leads: true } },
    ]);
  });

  test('that dies without a word is shown with its last words', async () => {
    supervisor = await start(`console.error('one'); console.error('cannot go on'); process.exit(7);`);
    expect(await all(supervisor)).toEqual([]);
    expect(supervisor.silence()).toMatchObject({ code: 'SK1509', lastLines: ['one', 'cannot go on'] });
  });

  test('is reached by signals of the command that started it', async () => {
    supervisor = await start(`
      process.on('SIGINT', () => { require('node:fs').writeSync(3, '{"type":"started","run":"told"}\\n'); process.exit(); });
      require('node:fs').writeSync(3, '{"type":"started","run":"up"}\\n');
      setInterval(() => {}, 1000);`);
    const seen: string[] = [];
    for await (const report of supervisor.reports) {
      if (report.type === 'started') seen.push(report.run);
      if (seen.length === 1) supervisor.signal('SIGINT');
    }
    expect(seen).toEqual(['up', 'told']);
  });
});

async function start(script: string): Promise<Supervisor> {
  const file = join(folder, 'supervisor.cjs');
  writeFileSync(file, script);
  return await startSupervisor({
    script: file,
    arguments: ['{"a b": "ü"}'],
    cwd: folder,
    log: join(folder, 'supervisor.log'),
    environment: process.env,
  });
}

async function all({ reports }: Supervisor): Promise<SupervisorReport[]> {
  const seen: SupervisorReport[] = [];
  for await (const report of reports) seen.push(report);
  return seen;
}
