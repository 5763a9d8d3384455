// What the playbook itself costs: actions that do nothing, on graphs of 1,000 and 10,000 services.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { count, range } from './harness/figures.mjs';
import { Samples } from './harness/statistics.mjs';

const SIZES = [1_000, 10_000];
/** Each service depends on so many of the layer before. */
const EDGES = 3;
const WIDTH = 50;

export const suite = { name: 'engine', title: 'The playbook on a graph of no-ops', run };

async function run(context) {
  const library = join(context.root, 'dist', 'index.js');
  if (!existsSync(library)) return { tables: [], targets: [], notes: ['not built: run `npm run build`'] };
  const samples = new Samples();
  const sizes = context.quick ? SIZES.slice(0, 1) : SIZES;
  for (let round = -1; round < context.rounds; round++)
    for (const size of sizes) {
      const cpuMs = await measure(library, size);
      if (round >= 0) samples.add(String(size), round, cpuMs);
    }
  const rows = sizes.map((size) => {
    const summary = samples.summary(String(size));
    const actions = size * 3;
    return [
      `${count(size)}`,
      `${count(actions)}`,
      range(summary),
      `${((summary.median * 1000) / actions).toFixed(1)}`,
    ];
  });
  return {
    tables: [
      {
        caption: 'CPU of planning and running',
        columns: ['services', 'actions', 'CPU ms', 'µs an action'],
        rows,
      },
    ],
    targets: [
      {
        what: '10,000 no-op services, CPU seconds',
        value: sizes.includes(10_000) ? samples.summary('10000').median / 1_000 : undefined,
        most: 3,
        unit: 's',
      },
    ],
    notes: [],
  };
}

/** A fresh thread each time: no round profits from the code that an earlier one has warmed. */
function measure(library, size) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./programs/engine-run.mjs', import.meta.url), {
      workerData: { library, size, edges: EDGES, width: WIDTH },
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
