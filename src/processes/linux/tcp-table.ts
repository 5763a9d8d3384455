/** `/proc/net/tcp` and `tcp6`: the kernel's table of TCP sockets. */
import { endianness } from 'node:os';
import type { Listener } from '../system.ts';

export interface ListeningSocket extends Listener {
  /** As in the link `socket:[inode]` of the descriptor that holds it. */
  readonly inode: string;
}

/** `   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 12345 1 …`, 0A is LISTEN. */
const listening = /^\s*\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A \S+ \S+ \S+ +\d+ +\d+ (\d+)/;

/** The listening sockets in the text of one table; lines of any other shape are passed over. */
export function parseTcpTable(text: string): readonly ListeningSocket[] {
  const sockets: ListeningSocket[] = [];
  // Most lines of a busy machine are connections: look for the state first, and cut out only the lines that have it.
  for (let at = text.indexOf(' 0A '); at !== -1; at = text.indexOf(' 0A ', at + 1)) {
    const start = text.lastIndexOf('\n', at) + 1;
    const end = text.indexOf('\n', at);
    const match = listening.exec(text.slice(start, end === -1 ? undefined : end));
    if (match === null) continue;
    const [, address = '', port = '', inode = ''] = match;
    const bytes = addressBytes(address);
    sockets.push({
      family: bytes.length === 4 ? 'ipv4' : 'ipv6',
      address: bytes.length === 4 ? bytes.join('.') : ipv6Text(bytes),
      port: Number.parseInt(port, 16),
      inode,
    });
  }
  return sockets;
}

/** The kernel prints each 32-bit word of the address as the machine holds it. */
function addressBytes(hexadecimal: string): Buffer {
  const bytes = Buffer.from(hexadecimal, 'hex');
  return endianness() === 'LE' ? bytes.swap32() : bytes;
}

/** RFC 5952: lower case, the longest run of two or more zero groups shortened, mapped IPv4 addresses dotted. */
export function ipv6Text(bytes: Uint8Array): string {
  if (bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff)
    return `::ffff:${bytes.subarray(12).join('.')}`;
  const groups = Array.from(
    { length: 8 },
    (_, index) => ((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0),
  );
  const text = groups.map((group) => group.toString(16)).join(':');
  const zeros = text.match(/\b0(?::0\b)+/g) ?? [];
  const longest = zeros.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = text.search(new RegExp(`(?<![0-9a-f])${longest}(?![0-9a-f])`));
  const [before, after] = [text.slice(0, at), text.slice(at + longest.length)];
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`;
}
