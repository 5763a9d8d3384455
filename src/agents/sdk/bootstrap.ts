/** The one line that the host writes to a fresh agent's stdin, and the life-line that stdin is from then on. */
import type { Readable } from 'node:stream';
import { SkeinError } from '../../errors/index.ts';
import { registryFolder } from '../../processes/index.ts';
import { PROTOCOL, SOCKET_PATH_LIMIT_BYTES } from '../program/index.ts';

/** What an agent needs to know to begin. */
export interface Launch {
  readonly token: string;
  /** Absolute path of the socket. */
  readonly socket: string;
  /** Absolute folder of the records of process groups (T-7). */
  readonly processGroups: string;
  /** The agent was started by its author, under a debugger: it outlives the life-line. */
  readonly attached: boolean;
}

/** Longer lines are no bootstrap. */
const limitBytes = 64 * 1024;

/**
 * Reads the line; afterwards the stream is read on and thrown away, so that its end is noticed.
 * @throws {SkeinError} SK1701, SK1702
 */
export function readLaunch(stdin: Readable): Promise<Launch> {
  return new Promise((resolve, reject) => {
    let text = '';
    const finish = (end: () => void): void => {
      stdin.off('data', take);
      stdin.off('end', early);
      stdin.off('error', broken);
      stdin.resume();
      end();
    };
    const take = (chunk: Buffer | string): void => {
      text += chunk.toString();
      const end = text.indexOf('\n');
      if (end === -1 && text.length <= limitBytes) return;
      finish(() => {
        try {
          resolve(parseLaunch(end === -1 ? text : text.slice(0, end)));
        } catch (error) {
          reject(error as Error);
        }
      });
    };
    const early = (): void => finish(() => reject(unusable('stdin ended before it')));
    const broken = (error: Error): void => finish(() => reject(unusable('stdin cannot be read', error)));
    stdin.on('data', take);
    stdin.on('end', early);
    stdin.on('error', broken);
  });
}

/**
 * The launch that a line asks for; keys that are not known are ignored.
 * @throws {SkeinError} SK1701, SK1702
 */
function parseLaunch(line: string): Launch {
  let written: unknown;
  try {
    written = JSON.parse(line);
  } catch (error) {
    throw unusable('it is not JSON', error);
  }
  if (typeof written !== 'object' || written === null) throw unusable('it is not a JSON object');
  const { token, socket, protocols, processGroups, attached } = written as Record<string, unknown>;
  if (typeof token !== 'string' || !/^[0-9a-f]{64}$/.test(token))
    throw unusable('`token` is not 32 bytes in hex');
  if (typeof socket !== 'string' || !socket.startsWith('/'))
    throw unusable('`socket` is not an absolute path');
  const bytes = Buffer.byteLength(socket);
  if (bytes > SOCKET_PATH_LIMIT_BYTES)
    throw unusable(
      `\`socket\` is ${bytes} bytes long, and more than ${SOCKET_PATH_LIMIT_BYTES} are not safe`,
    );
  // A host that does not name it has nothing against the place where they usually are.
  const records = processGroups ?? registryFolder(process.env);
  if (typeof records !== 'string' || !records.startsWith('/'))
    throw unusable('`processGroups` is not an absolute path');
  if (!Array.isArray(protocols)) throw unusable('`protocols` is not a list');
  if (!protocols.includes(PROTOCOL))
    throw new SkeinError(
      'SK1702',
      `the host speaks protocols ${protocols.join(', ')}; this agent speaks ${PROTOCOL}`,
    );
  return { token, socket, processGroups: records, attached: attached === true };
}

function unusable(why: string, cause?: unknown): SkeinError {
  return new SkeinError(
    'SK1701',
    `the bootstrap line cannot be used: ${why}`,
    cause === undefined ? {} : { cause },
  );
}
