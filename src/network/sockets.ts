/** Loopback sockets as promises: dialling and binding, on both address families. */
import { createSocket, type Socket as DatagramSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type Server } from 'node:net';
import type { Transport } from './mapping.ts';

export type Family = 'ipv4' | 'ipv6';

const loopback: Readonly<Record<Family, string>> = { ipv4: '127.0.0.1', ipv6: '::1' };

/** What an attempt to connect or bind came to. `absent`: the machine has no such address family. */
export type Attempt = 'done' | 'refused' | 'absent';

/** Codes of the kernel that mean "this machine has no such address". */
const absentCodes: ReadonlySet<string> = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EPROTONOSUPPORT',
  'ENETUNREACH',
  'EHOSTUNREACH',
  'EINVAL',
]);

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/** A full backlog leaves a dial on loopback without answer; only a listener has a backlog. */
const silentAfterMs = 1_000;

/**
 * Whether something accepts TCP connections at a port of loopback.
 * @throws whatever the kernel says besides refusal and absence, and the signal's reason once it is aborted.
 */
export function dial(family: Family, port: number, signal?: AbortSignal): Promise<Attempt> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const socket = connect({ host: loopback[family], port });
    const timer = setTimeout(() => finish(() => resolve('done')), silentAfterMs);
    const abort = (): void => finish(() => reject(reasonOf(signal)));
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      socket.removeAllListeners();
      // A late failure of a socket that is not wanted any more is nobody's.
      socket.on('error', () => undefined);
      socket.destroy();
      settle();
    };
    signal?.addEventListener('abort', abort, { once: true });
    // Within the ephemeral range the kernel may pick the dialled port for the dialler too, and connect it to itself.
    socket.once('connect', () => finish(() => resolve(socket.localPort === port ? 'refused' : 'done')));
    socket.once('error', (error) => {
      const code = codeOf(error);
      if (code === 'ECONNREFUSED') finish(() => resolve('refused'));
      else if (code === 'ECONNRESET') finish(() => resolve('done'));
      else if (absentCodes.has(code)) finish(() => resolve('absent'));
      else finish(() => reject(error));
    });
  });
}

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

/** A bound socket, kept until it is closed; a TCP one accepts nothing. */
export interface Bound {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Binds a port of loopback (0: of the kernel's choice); `refused` where it is taken.
 * @throws whatever the kernel says besides that.
 */
export async function bind(
  family: Family,
  transport: Transport,
  port: number,
): Promise<Bound | 'refused' | 'absent'> {
  try {
    return transport === 'tcp' ? await listen(family, port) : await bindDatagram(family, port);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EADDRINUSE') return 'refused';
    if (absentCodes.has(code)) return 'absent';
    throw error;
  }
}

async function listen(family: Family, port: number): Promise<Bound> {
  const server: Server = createServer((connection) => connection.destroy());
  server.listen({ host: loopback[family], port, ipv6Only: family === 'ipv6', exclusive: true });
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string')
    throw new TypeError('a TCP server has an address of its own');
  return {
    port: address.port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error === undefined ? resolve() : reject(error)));
      }),
  };
}

async function bindDatagram(family: Family, port: number): Promise<Bound> {
  const socket: DatagramSocket = createSocket({
    type: family === 'ipv4' ? 'udp4' : 'udp6',
    ipv6Only: family === 'ipv6',
  });
  socket.bind({ address: loopback[family], port, exclusive: true });
  try {
    await once(socket, 'listening');
  } catch (error) {
    socket.close();
    throw error;
  }
  return {
    port: socket.address().port,
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}
