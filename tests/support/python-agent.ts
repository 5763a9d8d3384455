/** The agent in Python, which knows nothing of the SDK, as a workspace names it. */
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export const python = '/usr/bin/python3';
export const pythonProgram: string = fileURLToPath(new URL('../agents/python/agent.py', import.meta.url));
const project = fileURLToPath(new URL('../../', import.meta.url));

const probe = spawnSync(python, ['-c', 'import grpc, google.protobuf'], { encoding: 'utf8' });

/** Why it cannot run here; `undefined` where it can. */
export const pythonLacks: string | undefined =
  probe.status === 0 ? undefined : probe.stderr || `there is no ${python}`;

/** The contract as data, which is all that an agent in another language needs. @returns the absolute path of the image */
export async function descriptorImage(folder: string): Promise<string> {
  const image = join(folder, 'contract.binpb');
  await promisify(execFile)(join(project, 'node_modules/.bin/buf'), ['build', '-o', image], { cwd: project });
  return image;
}

/** Puts the agent into the folder of a workspace. @returns how its services name it: `./python-agent` */
export async function installPythonAgent(folder: string): Promise<string> {
  const file = join(folder, 'python-agent');
  writeFileSync(file, `#!/bin/sh\nexec ${python} '${pythonProgram}' '${await descriptorImage(folder)}'\n`);
  chmodSync(file, 0o755);
  return './python-agent';
}
