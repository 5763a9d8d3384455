import { describe, expect, test } from 'vitest';
import { ipv6Text, parseTcpTable } from './tcp-table.ts';

const tcp = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 0000000000000000 100 0 0 10 0
  10: 00000000:0016 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 777 1 0000000000000000 100 0 0 10 0
  11: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 12346 1 0000000000000000 20 4 30 10 -1
`;
const tcp6 = `  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000000000000:1F91 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 9 1 0000000000000000 100 0 0 10 0
   1: 00000000000000000000000001000000:FFFF 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 10 1 0000000000000000 100 0 0 10 0
   2: 0000000000000000FFFF00000100007F:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 11 1 0000000000000000 100 0 0 10 0
`;

describe('the table of listening sockets', () => {
  test('names IPv4 addresses, ports and inodes, and no connections', () => {
    expect(parseTcpTable(tcp)).toEqual([
      { family: 'ipv4', address: '127.0.0.1', port: 8080, inode: '12345' },
      { family: 'ipv4', address: '0.0.0.0', port: 22, inode: '777' },
    ]);
  });

  test('names IPv6 addresses', () => {
    expect(parseTcpTable(tcp6)).toEqual([
      { family: 'ipv6', address: '::', port: 8081, inode: '9' },
      { family: 'ipv6', address: '::1', port: 65535, inode: '10' },
      { family: 'ipv6', address: '::ffff:127.0.0.1', port: 80, inode: '11' },
    ]);
  });

  test.each(['', 'nonsense 0A \n', tcp.slice(0, 160)])('survives a text of another shape', (text) => {
    expect(parseTcpTable(text)).toEqual([]);
  });

  test.each([
    ['20010db8000000000000000000000001', '2001:db8::1'],
    ['20010db8000000010000000000000001', '2001:db8:0:1::1'],
    ['00010000000000020000000000000000', '1:0:0:2::'],
    ['fe800000000000000000000000000a10', 'fe80::a10'],
    ['00010002000300040005000600070000', '1:2:3:4:5:6:7:0'],
    ['00100000000000000000000000000100', '10::100'],
    ['00010000000200000003000000040000', '1:0:2:0:3:0:4:0'],
  ])('%s is written %s', (bytes, text) => {
    expect(ipv6Text(Buffer.from(bytes, 'hex'))).toBe(text);
  });
});
