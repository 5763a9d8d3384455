/**
 * Where a service's data lies: in the folder that the host gives, or, where the server runs as a user of its own who
 * cannot come there, in the state folder; then `location.json` in the host's folder says where.
 */
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mayEnter, stateFolder } from '../folders.ts';
import type { ServerUser } from '../server-user.ts';

export interface DataPlace {
  /** Absolute; what the agent keeps: the password, `server.json`, `provisioned.json`, `location.json`. */
  readonly kept: string;
  /** Absolute; holds `cluster`, and beside it what is being made. */
  readonly home: string;
  /** Absolute folder of the server's data (PGDATA); may not exist. */
  readonly cluster: string;
}

/** `location.json`. */
interface Location {
  /** Absolute folder whose `cluster` is the data. */
  readonly home: string;
  /** The folder that the document lay in when it was written, to tell a moved workspace from a copied one. */
  readonly from: string;
}

/** The place of the data, with its folders made. `user`: who runs the server, where that is not this user. */
export function dataPlace(dataDirectory: string, user: ServerUser | undefined): DataPlace {
  mkdirSync(dataDirectory, { recursive: true, mode: user === undefined ? 0o700 : 0o711 });
  const kept = realpathSync(dataDirectory);
  if (user === undefined || existsSync(join(kept, 'cluster')) || mayEnter(kept, user))
    return placeIn(kept, kept);
  const home = realpathSync(elsewhere(kept));
  const location: Location = { home, from: kept };
  writeFileSync(join(kept, 'location.json'), `${JSON.stringify(location, null, 2)}\n`, { mode: 0o600 });
  return placeIn(kept, home);
}

function placeIn(kept: string, home: string): DataPlace {
  return { kept, home, cluster: join(home, 'cluster') };
}

/** A folder that was moved finds its data again; a copy gets data of its own, for two servers cannot share it. */
function elsewhere(kept: string): string {
  const known = readLocation(kept);
  const isMine = known !== undefined && (known.from === kept || !existsSync(known.from));
  return stateFolder('postgres-data', isMine ? basename(known.home) : folderName(kept));
}

function readLocation(kept: string): Location | undefined {
  const file = join(kept, 'location.json');
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Location) : undefined;
}

/** Names the service for people, and the folder for sure: `shop-db-0f3c…`. */
function folderName(kept: string): string {
  const people = [basename(dirname(kept)), basename(kept)].join('-').replace(/[^\w-]/g, '_');
  return `${people}-${createHash('sha256').update(kept).digest('hex').slice(0, 16)}`;
}

/** Says in the place itself whose it is, for whoever finds it outside of a workspace. */
export function makeHome({ kept, home }: DataPlace): void {
  if (home === kept) return;
  writeFileSync(join(home, 'origin.json'), `${JSON.stringify({ dataDirectory: kept }, null, 2)}\n`, {
    mode: 0o600,
  });
}

/** Begins the names of folders beside the cluster that are none yet, or none any more. */
export const unfinishedPrefix = 'cluster.new-';

/** Deletes all of it; the folder of the host stays. Killed in the middle, it leaves no half of a cluster to start on. */
export function removeData({ kept, home, cluster }: DataPlace): void {
  if (existsSync(cluster)) renameSync(cluster, mkdtempSync(join(home, unfinishedPrefix)));
  for (const name of readdirSync(home))
    if (name.startsWith(unfinishedPrefix)) rmSync(join(home, name), { recursive: true, force: true });
  if (home !== kept) rmSync(home, { recursive: true, force: true });
  for (const name of ['password', 'server.json', 'provisioned.json', 'location.json'])
    rmSync(join(kept, name), { force: true });
}
