/**
 * Listening sockets by netlink's socket diagnosis (sock_diag(7)): the kernel walks its listeners alone, while
 * `/proc/net/tcp` walks the buckets of every connection that the machine could have, which takes tens of times as long.
 */
import { endianness } from 'node:os';
import { ipv6Text, type ListeningSocket } from './tcp-table.ts';

/** Asks the kernel anew at each call; throws when it does not answer as documented. */
export type SocketDiagnosis = () => readonly ListeningSocket[];

const AF_INET = 2;
const AF_INET6 = 10;
const AF_NETLINK = 16;
const SOCK_RAW_CLOEXEC = 3 | 0o2000000;
const NETLINK_SOCK_DIAG = 4;
const MSG_DONTWAIT = 0x40;
const IPPROTO_TCP = 6;
const SOCK_DIAG_BY_FAMILY = 20;
const NLM_F_REQUEST_DUMP = 0x301;
const NLMSG_ERROR = 2;
const NLMSG_DONE = 3;
const LISTEN = 1 << 10;

const headerBytes = 16;
const requestBytes = headerBytes + 56;
/** `inet_diag_msg` from the header on: where the port, the address and the inode stand. */
const portAt = headerBytes + 4;
const addressAt = headerBytes + 8;
const inodeAt = headerBytes + 68;

/**
 * Opens the socket, which lives as long as the process and is closed on exec.
 * @returns `undefined` where libc cannot be called, the machine is big-endian, or the kernel lacks sock_diag.
 */
export async function openSocketDiagnosis(): Promise<SocketDiagnosis | undefined> {
  if (endianness() !== 'LE') return undefined;
  const libc = await import('koffi').then(
    ({ default: koffi }) => koffi.load(null),
    // Without koffi there is the slower way, which needs nothing.
    () => undefined,
  );
  if (libc === undefined) return undefined;
  const open = libc.func('int socket(int domain, int type, int protocol)') as (
    ...numbers: number[]
  ) => number;
  const send = libc.func('long send(int fd, void *buffer, size_t length, int flags)') as Transfer;
  const receive = libc.func('long recv(int fd, void *buffer, size_t length, int flags)') as Transfer;
  const fd = open(AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG);
  if (fd < 0) return undefined;
  const answer = Buffer.alloc(64 * 1024);
  const diagnosis: SocketDiagnosis = () =>
    [AF_INET, AF_INET6].flatMap((family) => {
      const request = dumpRequest(family);
      if (send(fd, request, request.length, 0) !== request.length)
        throw new Error('sock_diag took no request');
      const sockets: ListeningSocket[] = [];
      for (let more = true; more; ) {
        const length = receive(fd, answer, answer.length, MSG_DONTWAIT);
        if (length <= 0) throw new Error('sock_diag gave no answer');
        more = readAnswer(answer.subarray(0, length), sockets) === 'more';
      }
      return sockets;
    });
  try {
    diagnosis();
  } catch {
    // An older kernel, or one that forbids it: the slower way serves as well.
    return undefined;
  }
  return diagnosis;
}

type Transfer = (fd: number, buffer: Buffer, length: number, flags: number) => number;

/** Every TCP socket of the family that listens. */
function dumpRequest(family: number): Buffer {
  const request = Buffer.alloc(requestBytes);
  request.writeUInt32LE(requestBytes, 0);
  request.writeUInt16LE(SOCK_DIAG_BY_FAMILY, 4);
  request.writeUInt16LE(NLM_F_REQUEST_DUMP, 6);
  request.writeUInt8(family, headerBytes);
  request.writeUInt8(IPPROTO_TCP, headerBytes + 1);
  request.writeUInt32LE(LISTEN, headerBytes + 4);
  return request;
}

/** Adds the sockets of one datagram; `done` when the dump is complete. @throws {Error} on an error message */
export function readAnswer(bytes: Buffer, sockets: ListeningSocket[]): 'more' | 'done' {
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const length = bytes.readUInt32LE(at);
    const type = bytes.readUInt16LE(at + 4);
    if (type === NLMSG_DONE) return 'done';
    if (type === NLMSG_ERROR || length < headerBytes) throw new Error('sock_diag refused the request');
    sockets.push(readSocket(bytes.subarray(at, at + length)));
    // Messages begin at multiples of four.
    at += (length + 3) & ~3;
  }
  return 'more';
}

function readSocket(message: Buffer): ListeningSocket {
  const isIPv4 = message.readUInt8(headerBytes) === AF_INET;
  const address = message.subarray(addressAt, addressAt + (isIPv4 ? 4 : 16));
  return {
    family: isIPv4 ? 'ipv4' : 'ipv6',
    address: isIPv4 ? address.join('.') : ipv6Text(address),
    port: message.readUInt16BE(portAt),
    inode: String(message.readUInt32LE(inodeAt)),
  };
}
