/** What a handler is given of its instance: the facts of the latest Load, and the means that the SDK offers. */
import { resolve } from 'node:path';
import { DesiredState } from '../../gen/skein/runtime/v1/runtime_pb.js';
import type { Registrar } from '../../processes/index.ts';
import { Deadline } from './deadline.ts';
import type { ServiceContext } from './definition.ts';
import type { Happening } from './events.ts';
import { AgentFailure } from './failure.ts';
import type { Generations } from './generations.ts';
import type { InstanceOutput } from './logs/index.ts';
import type { Endpoint, Identity, RuntimeContext, ServiceKind } from './model.ts';
import { runCommand, Supervised, type Surroundings } from './supervision.ts';
import type { Sources } from './watch/index.ts';

/** What a Load says. */
export interface Facts<Spec> {
  readonly identity: Identity;
  readonly spec: Spec;
  readonly kind: ServiceKind;
  readonly runtimeContext: RuntimeContext;
  readonly endpoints: readonly Endpoint[];
  readonly directory: string;
  readonly dataDirectory: string;
  readonly runDirectory: string;
  readonly workspaceDirectory: string;
  readonly disposable: boolean;
}

export interface Means {
  readonly registrar: Registrar;
  /** Of the service as its handler says now. */
  readonly stopTimeoutMs: () => number;
  readonly output: InstanceOutput;
  readonly generations: Generations;
  readonly report: (generation: number, happening: Happening) => void;
  readonly desire: (desired: DesiredState, cause: string) => void;
  readonly sources: Sources;
}

/** `current` answers the facts of the latest Load. */
export function instanceContext<Spec>(current: () => Facts<Spec>, means: Means): ServiceContext<Spec> {
  const { output, generations, registrar } = means;
  const folder = (cwd: string | undefined): string => resolve(current().directory, cwd ?? '.');
  const surroundings = (): Surroundings => {
    const { identity, workspaceDirectory } = current();
    const { workspace, run } = identity;
    const purpose = { kind: 'service', workspace, run, service: output.instance } as const;
    return { output, registrar, registration: { workspaceRoot: workspaceDirectory, purpose } };
  };
  return {
    instance: output.instance,
    get identity() {
      return current().identity;
    },
    get spec() {
      return current().spec;
    },
    get kind() {
      return current().kind;
    },
    get runtimeContext() {
      return current().runtimeContext;
    },
    get endpoints() {
      return current().endpoints;
    },
    get directory() {
      return current().directory;
    },
    get dataDirectory() {
      return current().dataDirectory;
    },
    get runDirectory() {
      return current().runDirectory;
    },
    get workspaceDirectory() {
      return current().workspaceDirectory;
    },
    get disposable() {
      return current().disposable;
    },
    async supervise(options) {
      const generation = generations.requireStarting();
      const process = await Supervised.spawn(
        { ...options, cwd: folder(options.cwd), stopTimeoutMs: means.stopTimeoutMs() },
        surroundings(),
      );
      if (generations.adopt(generation, process)) return process;
      // Stopped between the two: nobody would ever stop it again.
      using deadline = new Deadline(0);
      await process.stop(deadline);
      throw new AgentFailure('INTERRUPTED', 'start was interrupted by stop', { retryable: true });
    },
    run: (options) => runCommand({ ...options, cwd: folder(options.cwd) }, surroundings()),
    log: (text) => output.say(text),
    hide: (secret) => output.mask.add(secret),
    desire: (phase, cause) => means.desire(desiredStates[phase], cause),
    watch: ({ paths, ignore = [], phase, cwd }) => {
      const { workspaceDirectory: workspaceFolder } = current();
      const written = { paths, ignore, folder: folder(cwd), workspaceFolder };
      return means.sources.watch({ written, phase });
    },
    ready: () => means.report(generations.number, { kind: 'ready' }),
    ended: (ending) => generations.endElsewhere(ending),
  };
}

/** The phases that can be wished for, in the contract's words. */
export const desiredStates: Readonly<Record<'load' | 'init' | 'start', DesiredState>> = {
  load: DesiredState.LOAD,
  init: DesiredState.INIT,
  start: DesiredState.START,
};
