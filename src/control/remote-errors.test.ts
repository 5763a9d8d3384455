import { Code, ConnectError } from '@connectrpc/connect';
import { expect, test } from 'vitest';
import { fromConnectError } from './remote-errors.ts';

test('U-3 a socket that may not be opened is said to be, and whose run it is told by its owner', () => {
  const cause = Object.assign(new Error('connect EACCES /'), { code: 'EACCES', address: '/' });
  const error = new ConnectError('connect EACCES /', Code.Internal, undefined, undefined, cause);
  expect(fromConnectError(error)).toMatchObject({
    code: 'SK1505',
    message: expect.stringMatching(/^the socket \/ of the run may not be opened/),
    remedy: 'Run the command as the user who started the run.',
    cause,
  });
});

test('any other failure of the call is told as it is', () => {
  expect(fromConnectError(new ConnectError('closed', Code.Aborted))).toMatchObject({
    code: 'SK1505',
    message: "the run's API failed: closed",
    remedy: undefined,
  });
  const other = new Error('no call');
  expect(fromConnectError(other)).toBe(other);
});
