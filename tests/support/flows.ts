/** A flow on a workspace of a test's own, with ports of the operating system's choice, ended with the test. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Happening, RunEvent } from '../../src/orchestration/events.ts';
import { Flow, type FlowOptions, type LogChunk } from '../../src/orchestration/index.ts';
import { loadWorkspace } from '../../src/workspace/index.ts';

export interface FlowUnderTest extends AsyncDisposable {
  readonly flow: Flow;
  readonly events: readonly RunEvent[];
  readonly logs: readonly LogChunk[];
  /** The first thing that happens, or has happened, of which `wanted` holds. */
  happening(wanted: (happening: Happening) => boolean): Promise<Happening>;
}

/** Created and started; its data and its logs stay in the workspace's own folder. */
export async function startFlow(root: string, options: Partial<FlowOptions> = {}): Promise<FlowUnderTest> {
  const runDirectory = join(root, '.skein', 'runs', 'test');
  mkdirSync(join(runDirectory, 'logs'), { recursive: true });
  const logs: LogChunk[] = [];
  const flow = await Flow.create({
    workspace: await loadWorkspace(root),
    roots: [],
    runId: `test-${process.pid}-${Math.random().toString(36).slice(2, 8)}`,
    runDirectory,
    failFast: false,
    failBeforeReady: false,
    readinessTimeoutMs: 30_000,
    teardownBudgetMs: 15_000,
    temporaryPorts: true,
    ports: new Map(),
    agentPaths: [],
    logFile: ({ module, name }) => join(runDirectory, 'logs', `${module}--${name}.log`),
    lastLines: ({ id }) =>
      logs.flatMap(({ service, text }) => (service === id ? text.split('\n') : [])).slice(-20),
    callerEnvironment: process.env,
    ...options,
  });
  const events: RunEvent[] = [];
  flow.onEvent((event) => void events.push(event));
  flow.onLog((chunk) => void logs.push(chunk));
  flow.start();
  return {
    flow,
    events,
    logs,
    happening: (wanted) =>
      new Promise((resolve) => {
        let watching: Disposable | undefined;
        let isFound = false;
        watching = flow.onEvent(({ happening }) => {
          if (isFound || !wanted(happening)) return;
          isFound = true;
          watching?.[Symbol.dispose]();
          resolve(happening);
        });
        if (isFound) watching[Symbol.dispose]();
      }),
    async [Symbol.asyncDispose]() {
      await flow.stop();
    },
  };
}
