/** Agents in npm packages: where a package of the workspace lies, and which program of it is the agent. */
import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { type FilePlace, SkeinError } from '../../errors/index.ts';
import type { Command } from '../program/index.ts';

const manifestSchema = z.object({
  version: z.string().optional(),
  bin: z.union([z.string(), z.record(z.string(), z.string())]).optional(),
});

type Manifest = z.infer<typeof manifestSchema>;

/** An agent of a package. */
export interface PackageAgent {
  readonly command: Command;
  /** Of the package; `0.0.0` where it has none. */
  readonly version: string;
}

/** The folder of a package as Node finds it from `from`: in `node_modules` there, or in a folder above. */
export function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (statSync(join(candidate, 'package.json'), { throwIfNoEntry: false })?.isFile() === true)
      return candidate;
    if (folder === dirname(folder)) return undefined;
  }
}

/**
 * The agent of the package in `folder`: its only `bin`, or the one called `preferred`.
 * @throws {SkeinError} SK1305
 */
export function packageAgent(folder: string, place: FilePlace, preferred?: string): PackageAgent {
  const file = join(folder, 'package.json');
  const manifest = readManifest(file, place);
  const bins =
    typeof manifest.bin === 'string' ? [['', manifest.bin] as const] : Object.entries(manifest.bin ?? {});
  const chosen = bins.find(([name]) => name === preferred) ?? (bins.length === 1 ? bins[0] : undefined);
  if (chosen === undefined)
    throw new SkeinError(
      'SK1305',
      bins.length === 0
        ? `${file} names no program of an agent: it has no \`bin\``
        : `${file} names several programs, none of them called ${preferred ?? 'as the agent'}: ${bins.map(([name]) => name).join(', ')}`,
      { place },
    );
  return { command: programOf(join(folder, chosen[1]), file, place), version: manifest.version ?? '0.0.0' };
}

function readManifest(file: string, place: FilePlace): Manifest {
  try {
    return manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new SkeinError('SK1305', `${file} cannot be read`, { place, cause: error });
  }
}

function programOf(program: string, manifest: string, place: FilePlace): Command {
  if (statSync(program, { throwIfNoEntry: false })?.isFile() !== true)
    throw new SkeinError('SK1305', `${manifest} names ${program}, which is no file`, { place });
  // A script is run by this Node: a linked package's file often lacks the permission that an install would set.
  return /\.[cm]?js$/.test(program) || !isExecutable(program) ? [process.execPath, program] : [program];
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return false;
    throw error;
  }
}
