/** Services of the `process` agent as a workspace file declares them, for tests that need real processes. */
import { fileURLToPath } from 'node:url';

/** Keys of a service's declaration beside those that every one of them has. */
export type Rest = Readonly<Record<string, unknown>>;

/** A service that is a script for `/bin/sh`. `rest.spec` joins the command. */
export function shellService(name: string, script: string, rest: Rest = {}): object {
  const { spec, ...others } = rest;
  return { name, agent: 'process', ...others, spec: { command: ['/bin/sh', '-c', script], ...(spec ?? {}) } };
}

/** The same that is expected to end. */
export function shellJob(name: string, script: string, rest: Rest = {}): object {
  return shellService(name, script, { kind: 'job', ...rest });
}

/**
 * A shell that stays until it gets TERM, and then does what `atEnd` says. It ends its `sleep` itself: a shell's child that
 * has been forked and has not begun yet loses the signal of its group.
 */
export function staying(atEnd = ''): string {
  return `trap '${atEnd}${atEnd === '' ? '' : '; '}kill -KILL $! 2>/dev/null; exit 0' TERM; echo up; sleep 600 & wait`;
}

/** A program that answers HTTP on its endpoint `http`, with a path for its health. `PAUSE`: a file that it waits for before it listens. */
export function httpService(name: string, rest: Rest = {}): object {
  const { environment, ...others } = rest;
  return {
    name,
    agent: 'process',
    endpoints: [{ name: 'http', api: 'http', health: { path: '/healthz' } }],
    environment: { PORT: '${self:http|port}', ...(environment ?? {}) },
    spec: {
      command: [process.execPath, fileURLToPath(new URL('../e2e/services/http.mjs', import.meta.url))],
    },
    ...others,
  };
}

/** A program that listens on its endpoint `tcp` as soon as it runs. */
export function tcpService(name: string, rest: Rest = {}): object {
  const script =
    "require('node:net').createServer((s) => s.end()).listen(process.env.PORT, '127.0.0.1', () => console.log('up'))";
  return {
    name,
    agent: 'process',
    endpoints: [{ name: 'tcp', api: 'tcp' }],
    environment: { PORT: '${self:tcp|port}' },
    spec: { command: [process.execPath, '-e', script] },
    ...rest,
  };
}

export function needs(...dependencies: readonly (string | object)[]): Rest {
  return {
    'service-dependencies': dependencies.map((dependency) =>
      typeof dependency === 'string' ? { name: dependency } : dependency,
    ),
  };
}
