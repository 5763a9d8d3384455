// A named pipe into which each service writes its port the instant it listens: readiness that costs the machine nothing,
// whoever started the service.
import { execFileSync } from 'node:child_process';
import { constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { createInterface } from 'node:readline';

/**
 * @param {string} path where the pipe is made
 * @returns {{ path: string, all: (count: number) => Promise<number>, done: () => Promise<number>, close: () => void }}
 *   `all` resolves with the time (`performance.now()`) at which `count` services had reported; `done` with that of the
 *   first service that said it has written all its lines.
 */
export function openReports(path) {
  execFileSync('mkfifo', ['-m', '600', path]);
  // Open for both: the pipe never comes to its end while services come and go.
  const socket = new Socket({ fd: openSync(path, constants.O_RDWR | constants.O_NONBLOCK), writable: false });
  const listening = new Map();
  let doneAt;
  let waiting = [];
  createInterface({ input: socket }).on('line', (line) => {
    if (line.startsWith('done ')) doneAt ??= performance.now();
    else if (!listening.has(line)) listening.set(line, performance.now());
    waiting = waiting.filter((check) => !check());
  });
  const when = (time) =>
    new Promise((resolve) => {
      const check = () => {
        const at = time();
        if (at !== undefined) resolve(at);
        return at !== undefined;
      };
      if (!check()) waiting.push(check);
    });
  return {
    path,
    all: (count) => when(() => (listening.size >= count ? [...listening.values()].at(count - 1) : undefined)),
    done: () => when(() => doneAt),
    close() {
      socket.destroy();
      rmSync(path, { force: true });
    },
  };
}
