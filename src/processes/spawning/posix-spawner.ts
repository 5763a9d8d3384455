/**
 * The fast spawner: `posix_spawn` called in libc, with pipes of our own and exits collected on SIGCHLD. Node's spawn
 * forks the whole runtime's page tables' worth of work and sets up handles we do not need; this does neither.
 */
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { Exit, GroupProcess, Spawner, SpawnRequest } from '../group.ts';
import { ExitCollector } from './exit-collector.ts';
import { spawnFault } from './faults.ts';
import { type Libc, loadLibc, type SpawnResult } from './libc.ts';

/** @throws {SkeinError} SK1612 where koffi or a libc that can do it is missing: then Node's spawner serves. */
export async function loadPosixSpawner(): Promise<Spawner> {
  const libc = await loadLibc();
  const exits = new ExitCollector((pid) => libc.collect(pid));
  return { name: 'posix', spawn: (request) => spawn(libc, exits, request) };
}

/** @throws {SkeinError} SK1602, SK1604–SK1606, SK1610 */
async function spawn(libc: Libc, exits: ExitCollector, request: SpawnRequest): Promise<GroupProcess> {
  const open: number[] = [];
  const pipe = (): { readonly reader: number; readonly writer: number } => {
    const made = libc.pipe();
    if (made.kind === 'refused') throw spawnFault(request, made.name);
    open.push(made.reader, made.writer);
    return made;
  };
  try {
    const input = request.stdin === 'pipe' ? pipe() : undefined;
    const output = pipe();
    const errors = pipe();
    exits.listen();
    const child = execute(libc, request, [input?.reader, output.writer, errors.writer]);
    if (child.kind === 'refused') throw spawnFault(request, child.name);
    const exited = exits.collect(child.pid);
    // From here each parent's end belongs to its socket, and what stays in `open` is closed below.
    open.splice(0, open.length, output.writer, errors.writer, ...(input ? [input.reader] : []));
    return new PosixGroupProcess(child.pid, exited, {
      stdout: new Socket({ fd: output.reader, readable: true, writable: false }),
      stderr: new Socket({ fd: errors.reader, readable: true, writable: false }),
      stdin: input && new Socket({ fd: input.writer, readable: false, writable: true }),
    });
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

/** As execvp does, a file without a known format is given to the shell. */
function execute(
  libc: Libc,
  request: SpawnRequest,
  stdio: readonly [number | undefined, number, number],
): SpawnResult {
  const { executable, command, cwd } = request;
  const environment = Object.entries(request.environment).map(([name, value]) => `${name}=${value}`);
  const result = libc.spawn({ executable, command, environment, cwd, stdio });
  if (result.kind === 'spawned' || result.name !== 'ENOEXEC') return result;
  const script = ['/bin/sh', executable, ...command.slice(1)];
  return libc.spawn({ executable: '/bin/sh', command: script, environment, cwd, stdio });
}

class PosixGroupProcess implements GroupProcess {
  readonly pid: number;
  readonly startedAt: number = Date.now();
  readonly exited: Promise<Exit>;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdin: GroupProcess['stdin'];
  exit: Exit | undefined = undefined;

  constructor(
    pid: number,
    exited: Promise<Exit>,
    streams: Pick<GroupProcess, 'stdout' | 'stderr' | 'stdin'>,
  ) {
    this.pid = pid;
    this.stdout = streams.stdout;
    this.stderr = streams.stderr;
    this.stdin = streams.stdin;
    this.exited = exited.then((exit) => {
      this.exit = exit;
      this.stdin?.destroy();
      return exit;
    });
  }
}
