/**
 * Finds the program behind an agent reference: a path in the workspace, the folders of --agent-path, built-in,
 * npm packages of the workspace, an executable on PATH; the first that is there is taken. Nothing is downloaded and
 * nothing is executed.
 */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, join, relative, sep } from 'node:path';
import { nearest, SkeinError } from '../../errors/index.ts';
import type { AgentReference } from '../../workspace/index.ts';
import type { BuiltInAgent, Command } from '../program/index.ts';
import { digestFile, digestFolder } from './digest.ts';
import { findPackage, packageAgent } from './npm-package.ts';
import { satisfies } from './range.ts';
import type { Found, ResolvedAgent } from './resolved.ts';

export interface ResolveContext {
  /** Absolute root of the workspace. */
  readonly workspaceRoot: string;
  /** Absolute folders of `--agent-path`, in order. */
  readonly agentPaths: readonly string[];
  /** By `publisher/name`. */
  readonly builtIns: ReadonlyMap<string, BuiltInAgent>;
  /** Value of PATH. */
  readonly path: string;
}

type NamedReference = Extract<AgentReference, { kind: 'name' }>;
type PathReference = Extract<AgentReference, { kind: 'path' }>;

/**
 * The program that `reference` means in this workspace.
 * @throws {SkeinError} SK1301 (nothing found: all places are named, and the nearest built-in), SK1302 (found, but no
 * program), SK1305 (a package without an agent), SK1306 (a package of another version).
 */
export function resolveAgent(reference: AgentReference, context: ResolveContext): ResolvedAgent {
  return reference.kind === 'path' ? resolvePath(reference, context) : resolveName(reference, context);
}

function resolvePath(reference: PathReference, { workspaceRoot }: ResolveContext): ResolvedAgent {
  const { path, written, place } = reference;
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    throw new SkeinError('SK1301', `there is no agent at \`${written}\`: ${path} does not exist`, {
      place,
      remedy: 'Correct the path; it is relative to the file that holds it.',
    });
  const command = stats.isDirectory() ? packageAgent(path, place).command : programAt(path, place);
  return { identity: `./${relative(workspaceRoot, path)}`, command, found: { kind: 'path', path }, place };
}

function programAt(file: string, place: NamedReference['place']): Command {
  if (isProgram(file)) return [file];
  throw new SkeinError(
    'SK1302',
    `the agent ${file} cannot be executed: it is no file with the permission to execute`,
    { place },
  );
}

function resolveName(reference: NamedReference, context: ResolveContext): ResolvedAgent {
  const { publisher, name, version, place } = reference;
  const identity = `${publisher}/${name}`;
  const found =
    onAgentPath(identity, name, context) ??
    builtIn(identity, context) ??
    inPackages(reference, context) ??
    onPath(name, context);
  if (found === undefined) throw unknownAgent(reference, context);
  return { identity, ...found, ...(version !== undefined && { range: version }), place };
}

type Hit = Pick<ResolvedAgent, 'command' | 'found' | 'digest'>;

function onAgentPath(identity: string, name: string, { agentPaths }: ResolveContext): Hit | undefined {
  for (const folder of agentPaths)
    for (const file of [join(folder, ...identity.split('/')), join(folder, executableName(name))])
      if (isProgram(file)) return outside(file, { kind: 'agent-path', folder });
  return undefined;
}

function builtIn(identity: string, { builtIns }: ResolveContext): Hit | undefined {
  const agent = builtIns.get(identity);
  return agent && { command: agent.command, found: { kind: 'built-in' } };
}

function inPackages(reference: NamedReference, { workspaceRoot }: ResolveContext): Hit | undefined {
  for (const packageName of packageNames(reference)) {
    const folder = findPackage(packageName, workspaceRoot);
    if (folder === undefined) continue;
    const { command, version } = packageAgent(folder, reference.place, executableName(reference.name));
    checkRange(`the package ${packageName}`, version, reference);
    return {
      command,
      found: { kind: 'package', name: packageName, version, folder },
      digest: digestFolder(folder),
    };
  }
  return undefined;
}

function checkRange(
  what: string,
  version: string,
  { publisher, name, version: range, place }: NamedReference,
): void {
  if (range === undefined || satisfies(version, range) === true) return;
  throw new SkeinError(
    'SK1306',
    `${what} is ${version}, but \`${publisher}/${name}:${range}\` is asked for`,
    { place },
  );
}

function onPath(name: string, { path }: ResolveContext): Hit | undefined {
  for (const folder of path.split(delimiter)) {
    const file = join(folder, executableName(name));
    // An empty or relative entry would make the working folder decide which program runs.
    if (folder.startsWith(sep) && isProgram(file)) return outside(file, { kind: 'executable', file });
  }
  return undefined;
}

function outside(file: string, found: Found): Hit {
  return { command: [file], found, digest: digestFile(realpathSync.native(file)) };
}

function unknownAgent(reference: NamedReference, context: ResolveContext): SkeinError {
  const { publisher, name, place } = reference;
  const identity = `${publisher}/${name}`;
  const known = [...context.builtIns.keys()];
  const guess =
    nearest(identity, known) ?? known.find((builtIn) => nameOf(builtIn) === nearest(name, known.map(nameOf)));
  const places = [
    ...context.agentPaths.map((folder) => `--agent-path ${folder}`),
    `built-in agents (${known.join(', ') || 'none'})`,
    `packages ${packageNames(reference).join(' and ')} in node_modules of ${context.workspaceRoot} and above`,
    `${executableName(name)} on PATH`,
  ];
  const hint = guess === undefined ? '' : ` (did you mean \`${guess}\`?)`;
  return new SkeinError(
    'SK1301',
    `there is no agent \`${identity}\`${hint}; looked in ${places.join('; ')}`,
    { place },
  );
}

function nameOf(identity: string): string {
  return identity.slice(identity.indexOf('/') + 1);
}

function packageNames({ publisher, name }: NamedReference): readonly string[] {
  return [executableName(name), `@${publisher}/${executableName(name)}`];
}

function executableName(name: string): string {
  return `skein-agent-${name}`;
}

function isProgram(file: string): boolean {
  if (statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return false;
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    // The documented answer to a file that may not be executed.
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') return false;
    throw error;
  }
}
