/** A flow on a workspace of a test's own, with ports of the operating system's choice, ended with the test. */
import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Happening, RunState, ServiceState } from '../../src/orchestration/events.ts';
import { Flow, type FlowOptions } from '../../src/orchestration/index.ts';
import { loadWorkspace, type ServiceId } from '../../src/workspace/index.ts';
import { type WorkspaceFolder, workspaceFolder } from './workspace-files.ts';

export interface FlowUnderTestOptions extends Partial<FlowOptions> {
  /** Files of the workspace, by path. */
  readonly files?: Readonly<Record<string, string>>;
  /** Executables in the workspace, by name, that start these programs: agents of `./name`. */
  readonly programs?: Readonly<Record<string, readonly string[]>>;
}

type Of<Type extends Happening['type']> = Extract<Happening, { readonly type: Type }>;

export class FlowUnderTest implements AsyncDisposable {
  readonly flow: Flow;
  readonly happenings: Happening[] = [];
  readonly #folder: WorkspaceFolder;
  readonly #output: Map<ServiceId, string[]>;

  constructor(flow: Flow, folder: WorkspaceFolder, output: Map<ServiceId, string[]>) {
    this.flow = flow;
    this.#folder = folder;
    this.#output = output;
    flow.onEvent(({ happening }) => void this.happenings.push(happening));
  }

  /** Absolute path of a file in the workspace. */
  path(name: string): string {
    return join(this.#folder.root, name);
  }

  /** Writes a file of the workspace. */
  write(name: string, text: string): void {
    this.#folder.write({ [name]: text });
  }

  /** The first of its type that happens, or has happened, of which `wanted` holds. */
  happening<Type extends Happening['type']>(
    type: Type,
    wanted: (happening: Of<Type>) => boolean,
  ): Promise<Of<Type>> {
    return new Promise((resolve) => {
      let found: Of<Type> | undefined;
      const watching = this.flow.onEvent(({ happening }) => {
        if (found !== undefined || happening.type !== type || !wanted(happening as Of<Type>)) return;
        found = happening as Of<Type>;
        resolve(found);
      });
      void this.flow.ended.then(() => watching[Symbol.dispose]());
    });
  }

  /** The moment in which a service has this state. */
  state(service: ServiceId, state: ServiceState): Promise<Of<'service-state'>> {
    return this.happening('service-state', (it) => it.service === service && it.state === state);
  }

  /** The moment in which the run has this state. */
  runState(state: RunState): Promise<Of<'run-state'>> {
    return this.happening('run-state', (it) => it.state === state);
  }

  /** What a service has printed so far. */
  linesOf(service: ServiceId): readonly string[] {
    return this.#output.get(service) ?? [];
  }

  /** The first line of a service's output, now or later, that begins so. */
  line(service: ServiceId, start: string): Promise<string> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.linesOf(service).find((line) => line.startsWith(start));
        if (found !== undefined) resolve(found);
      };
      // Told after the listener that keeps the lines.
      const watching = this.flow.onLog(look);
      void this.flow.ended.then(() => watching[Symbol.dispose]());
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flow.stop();
    this.#folder[Symbol.dispose]();
  }
}

/**
 * A flow on the workspace `site` with these services (`declared-services.ts`), created and started; what it keeps stays in
 * the workspace's own folder.
 * @throws {SkeinFaults} what the plan gate refuses
 */
export async function startFlow(
  services: readonly object[],
  { programs = {}, files = {}, ...options }: FlowUnderTestOptions = {},
): Promise<FlowUnderTest> {
  const folder = workspaceFolder({
    ...files,
    'workspace.skein.yaml': JSON.stringify({ name: 'site', services }, null, 2),
  });
  try {
    for (const [name, words] of Object.entries(programs)) {
      folder.write({ [name]: `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')}\n` });
      chmodSync(join(folder.root, name), 0o755);
    }
    const output = new Map<ServiceId, string[]>();
    const flow = await createFlow(folder.root, output, options);
    const run = new FlowUnderTest(flow, folder, output);
    flow.start();
    return run;
  } catch (error) {
    folder[Symbol.dispose]();
    throw error;
  }
}

async function createFlow(
  root: string,
  output: Map<ServiceId, string[]>,
  options: Partial<FlowOptions>,
): Promise<Flow> {
  const runDirectory = join(root, '.skein', 'runs', 'test');
  mkdirSync(join(runDirectory, 'logs'), { recursive: true });
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
    lastLines: ({ id }) => output.get(id)?.slice(-20) ?? [],
    callerEnvironment: { ...process.env, XDG_STATE_HOME: join(runDirectory, 'state') },
    ...options,
  });
  flow.onLog(({ service, text }) => {
    const lines = output.get(service);
    if (lines === undefined) output.set(service, text.split('\n'));
    else lines.push(...text.split('\n'));
  });
  return flow;
}
