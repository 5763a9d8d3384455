// One run of the playbook in a thread of its own; answers the CPU that it took, in milliseconds.
import { parentPort, workerData } from 'node:worker_threads';

const { library, size, edges, width } = workerData;
const { createDispatcher, playbookGraph, realClock, runPolicy } = await import(library);

const before = process.cpuUsage();
const graph = playbookGraph(
  Array.from({ length: size }, (_, index) => `s${index}`),
  (name) => {
    const index = Number(name.slice(1));
    const layer = Math.floor(index / width);
    if (layer === 0) return [];
    return Array.from({ length: edges }, (_, edge) => ({
      service: `s${(layer - 1) * width + ((index + edge) % width)}`,
      wait: 'started',
    }));
  },
);
let left = size * runPolicy.phases.length;
await new Promise((resolve) => {
  const dispatcher = createDispatcher({
    graph,
    policy: runPolicy,
    roots: new Set(),
    clock: realClock,
    random: Math.random,
    retryingOf: () => ({ attempts: 10, backoffMs: 1_000 }),
    parallelism: Number.POSITIVE_INFINITY,
    execute: () => {
      if (--left === 0) setImmediate(resolve);
      return Promise.resolve({ outcome: 'done', hash: 'same' });
    },
  });
  dispatcher.start();
});
const { user, system } = process.cpuUsage(before);
parentPort.postMessage((user + system) / 1_000);
