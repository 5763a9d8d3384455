import { expect, test } from 'vitest';
import { serverArguments } from './arguments.ts';

const request = { cluster: '/data', port: 5433, instance: 'shop/db', disposable: false, settings: {} };

test('the server listens on loopback alone, and on no socket in the file system', () => {
  const args = serverArguments(request);
  expect(args.slice(0, 2)).toEqual(['-D', '/data']);
  expect(args).toEqual(
    expect.arrayContaining(['listen_addresses=127.0.0.1', 'port=5433', 'unix_socket_directories=']),
  );
  expect(args).not.toContain('fsync=off');
});

test('the settings of the workspace stand above those that the agent would choose', () => {
  const settings = { fsync: true, work_mem: '8MB', max_connections: 20, log_line_prefix: '%m ' };
  const args = serverArguments({ ...request, disposable: true, settings });
  expect(args).toEqual(
    expect.arrayContaining([
      'fsync=on',
      'work_mem=8MB',
      'max_connections=20',
      'log_line_prefix=%m ',
      'full_page_writes=off',
    ]),
  );
  expect(args.filter((argument) => argument.startsWith('fsync='))).toHaveLength(1);
});
