/** The first thing an agent says: one line on stdout that tells the protocol and where it listens; here it is judged. */
import { lstatSync } from 'node:fs';
import { SkeinError } from '../../errors/index.ts';
import { type Handshake, PROTOCOL, parseHandshake } from './protocol.ts';

/**
 * Takes an agent's stdout lines until one is the handshake. Lines before and after are log; a line that begins as a
 * handshake and is none is reported at once rather than waited over.
 */
export class HandshakeLine {
  readonly handshake: Promise<Handshake>;
  readonly #agent: string;
  #resolve: (handshake: Handshake) => void = () => undefined;
  #reject: (error: SkeinError) => void = () => undefined;
  #settled = false;

  constructor(agent: string) {
    this.#agent = agent;
    this.handshake = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever waits gets the error; before that it is nobody's.
    this.handshake.catch(() => undefined);
  }

  /** `true` where the line was the handshake. */
  take(line: string): boolean {
    if (this.#settled || !line.startsWith('skein|')) return false;
    const handshake = parseHandshake(line);
    this.#settled = true;
    if (handshake === undefined) {
      this.#reject(
        new SkeinError(
          'SK1312',
          `agent ${this.#agent} printed a handshake that cannot be read: \`${line.slice(0, 200)}\``,
        ),
      );
      return false;
    }
    this.#resolve(handshake);
    return true;
  }
}

/**
 * The address to connect to. A Unix socket must be the one that the agent was told, a socket, ours, and closed to others.
 * @throws {SkeinError} SK1313 (protocol), SK1314 (address)
 */
export function judgeHandshake(agent: string, handshake: Handshake, socket: string): string {
  const { protocol, target } = handshake;
  if (protocol !== PROTOCOL)
    throw new SkeinError(
      'SK1313',
      `agent ${agent} speaks protocol ${protocol}; this skein speaks ${PROTOCOL}`,
    );
  const fault = target.startsWith('unix:')
    ? socketFault(target.slice('unix:'.length), socket)
    : portFault(target);
  if (fault !== undefined)
    throw new SkeinError('SK1314', `the handshake of agent ${agent} names ${target}, ${fault}`);
  return target;
}

function socketFault(path: string, given: string): string | undefined {
  if (path !== given) return `but it was told to listen on ${given}`;
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return 'where nothing is';
  if (!stats.isSocket()) return 'which is no socket';
  const uid = process.getuid?.();
  if (uid !== undefined && stats.uid !== uid) return `which belongs to user ${stats.uid}`;
  const mode = stats.mode & 0o777;
  return (mode & 0o077) === 0
    ? undefined
    : `which is open to others: its mode is ${mode.toString(8)}, it must be 600`;
}

function portFault(target: string): string | undefined {
  const port = Number(target.slice(target.lastIndexOf(':') + 1));
  return port >= 1 && port <= 65_535 ? undefined : `and ${port} is no port`;
}
