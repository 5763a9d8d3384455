/**
 * Starts groups that are on record before they run (T-7): should this process be killed at any moment, whatever it has
 * started can be found, proven and stopped by another.
 */
import { join } from 'node:path';
import type { GroupProcess, SpawnOptions } from '../group.ts';
import { type ProcessIdentity, processIdentity, startIdentity } from '../identity.ts';
import { system } from '../platform.ts';
import { takeInOrphans } from '../spawning/orphans.ts';
import { spawnGroup } from '../spawning/spawn-group.ts';
import { killGroup, type StopOptions, type StopOutcome, stopGroup } from '../stop.ts';
import type { GroupMember } from '../system.ts';
import { AdoptedGroup } from './adopted-group.ts';
import { makeRegistryFolder } from './folder.ts';
import { commandText, type GroupPurpose, isSecret, newSecret, PROCESS_GROUP_VARIABLE } from './record.ts';
import { RecordFile } from './record-file.ts';
import { endStrays, findStrays, type Strays } from './strays.ts';
import { resolvedRoot } from './workspace.ts';

/** What is said of a group besides its command. */
export interface Registration {
  /** Absolute root of the workspace that it is started for. */
  readonly workspaceRoot: string;
  readonly purpose: GroupPurpose;
  /** What asks it to end, when somebody else has to stop it; default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
  /** What it may take to end then, milliseconds; default: whoever stops it decides. */
  readonly stopTimeoutMs?: number;
  /** Absolute path of the socket that it is to serve, in a folder of its own: both go with a record that is settled. */
  readonly socket?: string;
  /** Whether what leaves the group is looked for when the group has ended; until none is left the record stays. */
  readonly followsStrays?: true;
}

export class Registrar {
  /** Absolute; made when it is first needed. */
  readonly folder: string;
  #self: Promise<Self> | undefined;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Learns what every record says, so that the first spawn does not wait for it. @throws {SkeinError} SK1611 */
  async prepare(): Promise<void> {
    await this.#learn();
  }

  /**
   * As `spawnGroup`, with the group on record and its secret in the environment. Where it cannot be registered nothing is
   * started, or what was started is killed at once.
   * @throws {SkeinError} SK1613, SK1614; SK1611; whatever `spawnGroup` throws
   */
  async spawn(options: SpawnOptions, registration: Registration): Promise<RegisteredGroup> {
    const followsStrays = registration.followsStrays === true;
    // Before anything runs that could leave orphans.
    if (followsStrays) await takeInOrphans();
    const { secret, file, boot } = await this.#reserve(options.command, registration);
    const environment = { ...options.environment, [PROCESS_GROUP_VARIABLE]: secret };
    const group = await spawnGroup({ ...options, environment }).catch((error: unknown) => {
      file.remove();
      throw error;
    });
    // Whoever waits for the exit hears of its failure; until then nobody does.
    group.exited.catch(() => undefined);
    const registered = new RegisteredGroup(group, secret, file, followsStrays);
    try {
      const start = await startIdentity(group.pid);
      file.complete({ pid: group.pid, start: start ?? null, boot });
    } catch (error) {
      await registered.kill();
      throw error;
    }
    return registered;
  }

  async #reserve(command: readonly string[], registration: Registration): Promise<Reserved> {
    const { registrar, machine, parent } = await this.#learn();
    makeRegistryFolder(this.folder);
    const {
      workspaceRoot,
      purpose,
      stopSignal = 'SIGTERM',
      stopTimeoutMs = null,
      socket = null,
    } = registration;
    const secret = newSecret();
    const file = RecordFile.reserve(this.folder, {
      ...{ secret, workspaceRoot: resolvedRoot(workspaceRoot), purpose },
      ...{ commandLine: commandText(command), stopSignal, stopTimeoutMs, socket, reservedAt: Date.now() },
      ...{ registrar, parent, machine },
    });
    return { secret, file, boot: registrar.boot };
  }

  /**
   * Puts a group on record that somebody else has started, an agent without the SDK say. Its processes do not have the
   * secret, so that it is proven by its leader alone.
   * @returns `undefined` where no living process is this leader of a group of its own: then nothing is put on record
   * @throws {SkeinError} SK1611, SK1613, SK1614
   */
  async adopt(leader: ProcessIdentity, registration: Registration): Promise<AdoptedGroup | undefined> {
    const { registrar } = await this.#learn();
    const found = await system.trace(leader.pid);
    if (found === undefined || found.isDead || found.group !== leader.pid || found.pid === registrar.pid)
      return undefined;
    if (found.start !== leader.start || registrar.boot !== leader.boot) return undefined;
    const [member] = await system.groupMembers(leader.pid, [leader.pid]);
    const { secret, file } = await this.#reserve([member?.command ?? ''], registration);
    try {
      file.complete(leader);
    } catch (error) {
      file.remove();
      throw error;
    }
    return new AdoptedGroup(join(this.folder, secret), secret);
  }

  #learn(): Promise<Self> {
    this.#self ??= learn().catch((error: unknown) => {
      this.#self = undefined;
      throw error;
    });
    return this.#self;
  }
}

/** A record with its first line. */
interface Reserved {
  readonly secret: string;
  readonly file: RecordFile;
  readonly boot: string;
}

/** What all records of this process have in common. */
interface Self {
  readonly registrar: ProcessIdentity;
  readonly parent: string | null;
  readonly machine: string;
}

async function learn(): Promise<Self> {
  const [registrar, machine] = await Promise.all([processIdentity(process.pid), system.machineIdentity()]);
  if (registrar === undefined) throw new Error('a process always has an identity of its own');
  const own = process.env[PROCESS_GROUP_VARIABLE] ?? '';
  return { registrar, machine, parent: isSecret(own) ? own : null };
}

/** What became of those that had left a group. */
export type StrayOutcome =
  | { readonly outcome: 'none' | 'ended' }
  | { readonly outcome: 'strayed' | 'timed-out'; readonly survivors: readonly GroupMember[] };

const none: Strays = { isProven: true, processes: [] };

/** A running group with its record, which goes when the group is proven dead, and not before. */
export class RegisteredGroup {
  readonly process: GroupProcess;
  readonly secret: string;
  readonly #file: RecordFile;
  readonly #followsStrays: boolean;
  /** Seen when the group had ended. */
  #strays: Strays = none;
  /** Once it was seen empty, its number may be a stranger's. */
  #isGone = false;

  constructor(process: GroupProcess, secret: string, file: RecordFile, followsStrays: boolean) {
    this.process = process;
    this.secret = secret;
    this.#file = file;
    this.#followsStrays = followsStrays;
  }

  /** Whether something that it has started still runs outside of it. */
  get hasStrays(): boolean {
    return this.#strays.processes.length > 0;
  }

  /** As `stopGroup`. @throws {SkeinError} SK1609, SK1611, SK1614 */
  stop(options: StopOptions): Promise<StopOutcome> {
    return this.#end(() => stopGroup(this.process, options));
  }

  /** As `killGroup`. @throws {SkeinError} SK1609, SK1611, SK1614 */
  kill(options?: Pick<StopOptions, 'killTimeoutMs' | 'abort'>): Promise<StopOutcome> {
    return this.#end(() => killGroup(this.process, options));
  }

  async #end(end: () => Promise<StopOutcome>): Promise<StopOutcome> {
    if (this.#isGone) return { outcome: 'stopped' };
    const outcome = await end();
    if (outcome.outcome === 'timed-out') return outcome;
    this.#isGone = true;
    this.#strays = this.#followsStrays ? await findStrays(this.secret) : none;
    if (this.#strays.processes.length === 0) this.#file.remove();
    return outcome;
  }

  /**
   * Of a group that has ended: ends what has left it before, where that is proven to be its own.
   * @returns `survivors` of `timed-out`: those that outlived SIGKILL; of `strayed`: those that are not proven, and go on.
   * The record stays with them.
   * @throws {SkeinError} SK1611, SK1614
   */
  async endStrays(options: StopOptions): Promise<StrayOutcome> {
    const { isProven, processes } = this.#strays;
    if (processes.length === 0) return { outcome: 'none' };
    if (!isProven) return { outcome: 'strayed', survivors: processes };
    const survivors = await endStrays(this.secret, options);
    if (survivors.length > 0) return { outcome: 'timed-out', survivors };
    this.#strays = none;
    this.#file.remove();
    return { outcome: 'ended' };
  }
}
