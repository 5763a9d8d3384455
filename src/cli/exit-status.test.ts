import { expect, test } from 'vitest';
import { exitStatusOf } from './exit-status.ts';

test.each([
  ['SK1010', 2, 'a fault in a file of the workspace'],
  ['SK1110', 2, 'a reference'],
  ['SK1203', 2, 'a port that was written wrongly'],
  ['SK1202', 1, 'a port that is taken'],
  ['SK1301', 2, 'an agent that is not there'],
  ['SK1302', 2, 'an agent that the workspace names and that is no program'],
  ['SK1304', 1, 'a program that has changed under its locked version'],
  ['SK1305', 2, 'a package that the workspace names and that holds no agent'],
  ['SK1306', 2, 'an agent of another version than the workspace asks for'],
  ['SK1308', 1, 'an agent that does not start'],
  ['SK1551', 2, 'an option that does not exist'],
  ['SK1555', 2, 'a working directory that does not exist'],
  ['SK1560', 1, 'output that cannot be written'],
  ['SK1599', 1, 'a fault of skein itself'],
])('U-2 %s ends with %i: %s', (code, status) => {
  expect(exitStatusOf(code)).toBe(status);
});
