/**
 * The record of a process group, as it is kept in a file (T-7): a line that is there before the group runs, and a second
 * one that says which group it became. Whoever reads only the first knows by the secret what to look for.
 */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:os';
import { isAbsolute } from 'node:path';
import type { ProcessIdentity } from '../identity.ts';

/** The variable by which a process knows the secret of its group; whatever it starts inherits it. */
export const PROCESS_GROUP_VARIABLE = 'SKEIN_PROCESS_GROUP';

/** Version of the format. */
const VERSION = 1;

/** What a group is for: a service (or a command for it) of a run, or an agent, which is there before its run has a name. */
export type GroupPurpose =
  | {
      readonly kind: 'service';
      /** Name of the workspace. */
      readonly workspace: string;
      readonly run: string;
      /** `module/service`. */
      readonly service: string;
    }
  | {
      readonly kind: 'agent';
      /** As messages name it. */
      readonly agent: string;
    };

/** What is known before the group runs. */
export interface Reservation {
  /** 128 random bits in hex; names the file, and stands in the environment of the group's processes. */
  readonly secret: string;
  /** Absolute, links resolved. */
  readonly workspaceRoot: string;
  readonly purpose: GroupPurpose;
  /** For people; at most 1,000 characters. */
  readonly commandLine: string;
  /** What asks the group to end. */
  readonly stopSignal: NodeJS.Signals;
  /** What it may take to end after that signal, milliseconds; `null`: the record does not say, as older ones never do. */
  readonly stopTimeoutMs: number | null;
  /** Absolute path of the socket that it serves, in a folder of its own; `null`: none, or the record does not say. */
  readonly socket: string | null;
  /** Milliseconds since the epoch. */
  readonly reservedAt: number;
  /** Who is about to start it. */
  readonly registrar: ProcessIdentity;
  /** The secret of the group that the registrar itself runs in; `null` where that is not registered. */
  readonly parent: string | null;
  /** The machine that it was made on; `''` where that has no name of its own. */
  readonly machine: string;
}

/** The leader of a group that runs; its pid is the group's number. */
export interface Leader {
  readonly pid: number;
  /** `null` where it had ended before anybody could look. */
  readonly start: string | null;
  readonly boot: string;
}

export type GroupRecord =
  | { readonly is: 'reserved'; readonly reservation: Reservation }
  | { readonly is: 'registered'; readonly reservation: Reservation; readonly leader: Leader }
  | {
      readonly is: 'damaged';
      /** In one clause. */
      readonly why: string;
      /** Where its first line can be read. */
      readonly reservation: Reservation | undefined;
    };

const commandLimit = 1_000;

export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

export function isSecret(text: string): boolean {
  return /^[0-9a-f]{32}$/.test(text);
}

/** A command for people, in one line. */
export function commandText(command: readonly string[]): string {
  const text = command.join(' ').replaceAll(/\s+/g, ' ');
  return text.length <= commandLimit ? text : `${text.slice(0, commandLimit - 1)}…`;
}

export function reservationLine(reservation: Reservation): string {
  return `${JSON.stringify({ version: VERSION, ...reservation })}\n`;
}

export function leaderLine(leader: Leader): string {
  return `${JSON.stringify(leader)}\n`;
}

/** The record that a file holds which is named by `secret`; total. */
export function parseRecord(text: string, secret: string): GroupRecord {
  const [first = '', ...rest] = text.split('\n');
  const written = parsed(first);
  const reservation = rest.length > 0 ? readReservation(written, secret) : undefined;
  const damaged = (why: string): GroupRecord => ({ is: 'damaged', why, reservation });
  if (!text.endsWith('\n')) return damaged('its last line has no end');
  if (isObject(written) && typeof written['version'] === 'number' && written['version'] !== VERSION)
    return damaged(`it is of version ${written['version']}, and this skein reads ${VERSION}`);
  if (reservation === undefined) return damaged('its first line cannot be read');
  if (rest.length === 1) return { is: 'reserved', reservation };
  const leader = rest.length === 2 ? readLeader(parsed(rest[0] ?? '')) : undefined;
  if (leader === undefined) return damaged('what follows its first line cannot be read');
  return { is: 'registered', reservation, leader };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

type Written = Readonly<Record<string, unknown>>;

function isObject(written: unknown): written is Written {
  return typeof written === 'object' && written !== null;
}

function readReservation(written: unknown, name: string): Reservation | undefined {
  if (!isObject(written) || written['version'] !== VERSION) return undefined;
  const { secret, workspaceRoot, commandLine, stopSignal, reservedAt, parent, machine } = written;
  const { stopTimeoutMs = null, socket = null } = written;
  const purpose = readPurpose(written['purpose']);
  const registrar = readIdentity(written['registrar']);
  if (secret !== name || purpose === undefined || registrar === undefined) return undefined;
  if (!isPath(workspaceRoot) || typeof commandLine !== 'string') return undefined;
  if (typeof reservedAt !== 'number' || typeof machine !== 'string') return undefined;
  if (typeof stopSignal !== 'string' || !Object.hasOwn(constants.signals, stopSignal)) return undefined;
  if (socket !== null && !isPath(socket)) return undefined;
  if (stopTimeoutMs !== null && !isDuration(stopTimeoutMs)) return undefined;
  if (parent !== null && typeof parent !== 'string') return undefined;
  const signal = stopSignal as NodeJS.Signals;
  return {
    ...{ secret: name, workspaceRoot, purpose, commandLine, stopSignal: signal, stopTimeoutMs, socket },
    ...{ reservedAt, registrar, parent, machine },
  };
}

function readPurpose(written: unknown): GroupPurpose | undefined {
  if (!isObject(written)) return undefined;
  const { kind, workspace, run, service, agent } = written;
  if (kind === 'agent') return typeof agent === 'string' ? { kind, agent } : undefined;
  if (kind !== 'service') return undefined;
  if (typeof workspace !== 'string' || typeof run !== 'string' || typeof service !== 'string')
    return undefined;
  return { kind, workspace, run, service };
}

function readIdentity(written: unknown): ProcessIdentity | undefined {
  const leader = readLeader(written);
  return leader !== undefined && leader.start !== null ? { ...leader, start: leader.start } : undefined;
}

function isDuration(written: unknown): written is number {
  return typeof written === 'number' && written >= 0;
}

function isPath(written: unknown): written is string {
  return typeof written === 'string' && isAbsolute(written) && !written.includes('\0');
}

/** What `pid_t` holds. */
const largestPid = 2 ** 31 - 1;

/** A number that is no process, 0 and 1 above all, would turn a signal on others. */
function readLeader(written: unknown): Leader | undefined {
  if (!isObject(written)) return undefined;
  const { pid, start, boot } = written;
  if (typeof pid !== 'number' || !Number.isInteger(pid) || pid <= 1 || pid > largestPid) return undefined;
  if (start !== null && (typeof start !== 'string' || start === '')) return undefined;
  return typeof boot === 'string' && boot !== '' ? { pid, start, boot } : undefined;
}
