import { spawn } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseLsofListeners, parseLsofName, parseLsofPid, parseLsofPids } from './lsof.ts';
import { parseGiven, parseKin, parseProcessList, parseTraces, parseVariable } from './ps.ts';
import { sessionOf } from './session.ts';

describe("the output of macOS's tools", () => {
  test('ps lists pid, group, state and command', () => {
    const text =
      '    1     1 Ss   /sbin/launchd\n 4242  4240 S+   node server.js --name  x\n  77   77 Z    \n\n';
    expect(parseProcessList(text)).toEqual([
      { pid: 1, group: 1, state: 'Ss', command: '/sbin/launchd' },
      { pid: 4242, group: 4240, state: 'S+', command: 'node server.js --name  x' },
      { pid: 77, group: 77, state: 'Z', command: '[77]' },
    ]);
  });

  test('T-7 ps lists pid, group, state and start', () => {
    const text =
      '    1     1 Ss   Mon Jan  5 09:12:44 2026    \n 4242  4240 S+   Mon Jan 12 10:00:01 2026\n   77    77 Z+   Tue Jan 13 11:22:33 2026\n 78 78 Z -\n';
    expect(parseTraces(text)).toEqual([
      { pid: 1, group: 1, start: 'Mon Jan  5 09:12:44 2026', isDead: false },
      { pid: 4242, group: 4240, start: 'Mon Jan 12 10:00:01 2026', isDead: false },
      { pid: 77, group: 77, start: 'Tue Jan 13 11:22:33 2026', isDead: true },
    ]);
  });

  test('T-7 ps shows environments behind the arguments', () => {
    const text =
      '    1 /sbin/launchd\n 4242 node server.js PATH=/usr/bin GROUP=abc HOME=/Users/me\n  512 sh -c x GROUP=abcd XGROUP=abc\n';
    expect(parseGiven(text, 'GROUP', 'abc')).toEqual(new Set([4242]));
    expect(parseGiven('', 'GROUP', 'abc')).toEqual(new Set());
  });

  test('R-9 ps tells whose child a process is, and a variable that it was given', () => {
    expect(parseKin(' 4242  4240  4240 Mon Jan 12 10:00:01 2026    \n')).toEqual({
      ...{ pid: 4242, parent: 4240, group: 4240, start: 'Mon Jan 12 10:00:01 2026' },
    });
    expect(parseKin('')).toBeUndefined();
    const text = 'node server.js GROUP=argument PATH=/usr/bin GROUP=abc HOME=/Users/me\n';
    expect(parseVariable(text, 'GROUP')).toBe('abc');
    expect(parseVariable(text, 'ROUP')).toBeUndefined();
  });

  test('R-9 lsof lists every process that holds a listener', () => {
    expect(parseLsofPids('p512\nf10\nf11\np77\nf5\n')).toEqual([77, 512]);
    expect(parseLsofPids('')).toEqual([]);
  });

  test('lsof lists listeners with their families', () => {
    const text =
      'p512\nf10\ntIPv4\nn127.0.0.1:8080\nf11\ntIPv6\nn[::1]:8080\np600\nf5\ntIPv6\nn*:5000\nf6\ntIPv4\nn*:5001\n';
    expect(parseLsofListeners(text)).toEqual([
      { family: 'ipv4', address: '127.0.0.1', port: 8080 },
      { family: 'ipv6', address: '::1', port: 8080 },
      { family: 'ipv6', address: '::', port: 5000 },
      { family: 'ipv4', address: '0.0.0.0', port: 5001 },
    ]);
  });

  test('lsof names a process and its working directory', () => {
    expect(parseLsofPid('p512\nf10\n')).toBe(512);
    expect(parseLsofPid('')).toBeUndefined();
    expect(parseLsofName('p512\nfcwd\nn/Users/me/a project\n')).toBe('/Users/me/a project');
    expect(parseLsofName('')).toBeUndefined();
  });
});

test('T-7 libc tells the session of a process, and of none where there is none', async () => {
  // A leader of its own session: that of the test itself may be outside of its namespace of processes, and is 0 then.
  const leader = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' });
  const pid = await new Promise<number>((resolve, reject) => {
    leader.once('error', reject).once('spawn', () => resolve(leader.pid ?? Number.NaN));
  });
  try {
    expect(await sessionOf(pid)).toBe(pid);
  } finally {
    leader.kill('SIGKILL');
  }
  expect(await sessionOf(999_999_999)).toBeUndefined();
});
