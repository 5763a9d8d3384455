// The small C programs that the benchmarks need, compiled into the run's own folder.
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../../fixtures/chain/listener.mjs';

const bench = join(dirname(fileURLToPath(import.meta.url)), '..');

/** @returns {{ listen: string, limit: string, awaitPorts: string, sink: string }} paths @throws without a compiler */
export function buildTools(folder) {
  const build = (source, name) => {
    const binary = compile(join(bench, source), join(folder, 'tools', name));
    if (!binary)
      throw new Error(
        'the benchmarks need a C compiler: none called cc was found; install one, or name it in CC',
      );
    return binary;
  };
  return {
    listen: build('../fixtures/chain/listen.c', 'listen'),
    limit: build('programs/limit.c', 'limit'),
    awaitPorts: build('programs/await-ports.c', 'await-ports'),
    sink: build('programs/sink.c', 'sink'),
  };
}
