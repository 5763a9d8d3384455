// The peers that skein is measured against: installed from npm, in exact versions, into a folder outside of the project,
// which never depends on them.
import { spawnSync } from 'node:child_process';
import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** The last that run on Node 20. */
const peerVersions = {
  concurrently: '9.2.5',
  mprocs: '0.9.6',
  pm2: '7.0.4',
  'wait-on': '9.5.1',
  wireit: '0.14.13',
};

const folder = join(tmpdir(), 'skein-bench-peers');

/**
 * Installs what is missing.
 * @returns {{ path: string } | { missing: string }} `path`: PATH with the peers' commands; `missing`: why there are none.
 */
export function installPeers() {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).uid !== process.getuid()) return { missing: `${folder} belongs to another user` };
  if (!isComplete()) {
    const wanted = Object.entries(peerVersions).map(([name, version]) => `${name}@${version}`);
    const options = ['--prefix', folder, '--save-exact', '--ignore-scripts', '--no-audit', '--no-fund'];
    const done = spawnSync('npm', ['install', ...options, ...wanted], { cwd: folder, encoding: 'utf8' });
    if (done.error) return { missing: done.error.message };
    if (done.status !== 0) return { missing: `npm install failed: ${done.stderr.trim().split('\n').at(-1)}` };
  }
  return { path: [join(folder, 'node_modules', '.bin'), process.env.PATH].join(delimiter) };
}

function isComplete() {
  return Object.entries(peerVersions).every(([name, version]) => installedVersion(name) === version);
}

function installedVersion(name) {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
