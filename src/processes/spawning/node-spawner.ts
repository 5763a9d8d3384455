/**
 * The portable spawner: Node's `child_process`, for changes of user and where libc cannot be called directly. It cannot
 * close descriptors that were open before Node started, beyond those that Node itself marks as close-on-exec.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Exit, GroupProcess, Spawner, SpawnRequest } from '../group.ts';
import { spawnFault } from './faults.ts';

/** @throws {SkeinError} SK1602, SK1604–SK1607, SK1610 */
export const nodeSpawner: Spawner = {
  name: 'node',
  async spawn(request): Promise<GroupProcess> {
    let child: ChildProcess | undefined;
    try {
      child = start(request);
      const running = new NodeGroupProcess(child);
      await once(child, 'spawn');
      return running;
    } catch (error) {
      // Node leaves the pipes of a child that never was open.
      for (const stream of [child?.stdin, child?.stdout, child?.stderr]) stream?.destroy();
      throw spawnFault(request, (error as NodeJS.ErrnoException).code ?? String(error), error);
    }
  },
};

function start(request: SpawnRequest): ChildProcess {
  const [argv0, ...args] = request.command;
  return spawn(request.executable, args, {
    argv0,
    cwd: request.cwd,
    env: { ...request.environment },
    detached: true,
    stdio: [request.stdin ?? 'ignore', 'pipe', 'pipe'],
    ...(request.uid !== undefined && { uid: request.uid }),
    ...(request.gid !== undefined && { gid: request.gid }),
  });
}

class NodeGroupProcess implements GroupProcess {
  readonly pid: number;
  readonly startedAt: number = Date.now();
  readonly exited: Promise<Exit>;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly stdin: GroupProcess['stdin'];
  exit: Exit | undefined = undefined;

  constructor(child: ChildProcess) {
    // Without a pid the `error` event follows, and nobody sees this object.
    this.pid = child.pid ?? 0;
    this.stdout = held(child.stdout);
    this.stderr = held(child.stderr);
    this.stdin = child.stdin ?? undefined;
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.exit = signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal };
        resolve(this.exit);
      });
    });
  }
}

/** Node drains and drops the output of an exited child that nobody reads yet; this keeps it until it is read. */
function held(source: Readable | null): Readable {
  const kept = new PassThrough();
  // A failing read is passed on: pipeline destroys `kept` with the same error.
  if (source !== null) pipeline(source, kept, () => undefined);
  return kept;
}
