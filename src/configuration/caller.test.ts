import { expect, test } from 'vitest';
import { callerVariables } from '../processes/index.ts';
import { callerEnvironment } from './caller.ts';

const caller = {
  PATH: '/bin',
  HOME: '/home/a',
  LANG: 'C',
  AWS_PROFILE: 'prod',
  NPM_TOKEN: 'x',
  NODE_OPTIONS: '--inspect',
  EMPTY: '',
};

test('C-17 only the short list reaches a service', () => {
  expect(callerEnvironment(caller)).toEqual({
    variables: [
      { name: 'PATH', value: '/bin', secret: false },
      { name: 'HOME', value: '/home/a', secret: false },
      { name: 'LANG', value: 'C', secret: false },
    ],
    missing: [],
  });
});

test('C-17 a full caller gives the whole list and nothing else', () => {
  const full = Object.fromEntries(
    [...callerVariables, 'SSH_AUTH_SOCK', 'LC_ALL', 'PWD'].map((name) => [name, 'x']),
  );
  expect(callerEnvironment(full).variables.map((variable) => variable.name)).toEqual([
    'PATH',
    'HOME',
    'LANG',
    'TZ',
    'TERM',
    'TMPDIR',
    'USER',
    'SHELL',
  ]);
});

test('C-17 what the service names is passed on, once, secret ones marked, and what is missing is told', () => {
  const { variables, missing } = callerEnvironment(caller, [
    'AWS_PROFILE',
    'NPM_TOKEN',
    'PATH',
    'EMPTY',
    'ABSENT',
    'toString',
    'ABSENT',
  ]);
  expect(variables.slice(3)).toEqual([
    { name: 'AWS_PROFILE', value: 'prod', secret: false },
    { name: 'NPM_TOKEN', value: 'x', secret: true },
    { name: 'EMPTY', value: '', secret: false },
  ]);
  expect(missing).toEqual(['ABSENT', 'toString']);
});
