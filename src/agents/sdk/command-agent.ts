/** An agent that runs a command, in a dozen lines. */
import type { JsonObject } from '@bufbuild/protobuf';
import type { AgentDefinition, InitPhase, ServiceContext, SpecSchema, StartPhase } from './definition.ts';
import type { Configuration } from './model.ts';
import type { WatchOptions } from './watch/index.ts';

export interface CommandAgent<Spec> extends Omit<AgentDefinition<Spec>, 'createService' | 'schema'> {
  readonly schema?: SpecSchema<Spec>;
  /** The program and its arguments, for each start; `start` has the addresses and the environment. */
  command(
    spec: Spec,
    start: StartPhase,
    context: ServiceContext<Spec>,
  ): readonly [string, ...string[]] | Promise<readonly [string, ...string[]]>;
  /** What the service exposes to its dependents; default: nothing. */
  configurations?(spec: Spec, init: InitPhase, context: ServiceContext<Spec>): readonly Configuration[];
  /** The sources whose change starts the process anew; default: none. */
  watch?(spec: Spec, context: ServiceContext<Spec>): Omit<WatchOptions, 'phase'>;
  /** Whether the process reloads itself, so that a Start that brings nothing new keeps it; default: no. */
  hotReload?(spec: Spec): boolean;
  /** What asks the process to end; default SIGTERM. */
  readonly stopSignal?: NodeJS.Signals;
}

/**
 * The definition of an agent whose services are each one process, in the service's folder, with the environment that
 * skein resolved:
 *
 * ```ts
 * import { commandAgent, requireAddress, serveAgent } from 'skein/agent';
 * import * as z from 'zod';
 *
 * await serveAgent(
 *   commandAgent({
 *     name: 'acme/files',
 *     version: '1.0.0',
 *     schema: z.strictObject({ folder: z.string() }),
 *     command: ({ folder }, { mappings }) => [
 *       'python3', '-m', 'http.server', '--directory', folder, String(requireAddress(mappings, 'http').port),
 *     ],
 *   }),
 * );
 * ```
 */
export function commandAgent<Spec = JsonObject>(agent: CommandAgent<Spec>): AgentDefinition<Spec> {
  const { command, configurations, watch, hotReload, stopSignal, ...definition } = agent;
  return {
    ...definition,
    createService: (context) => ({
      get hotReload() {
        return hotReload?.(context.spec) ?? false;
      },
      init: async (init) => {
        await context.watch({ paths: [], ...watch?.(context.spec, context), phase: 'start' });
        return { configurations: configurations?.(context.spec, init, context) ?? [] };
      },
      start: async (start) => {
        await context.supervise({
          command: await command(context.spec, start, context),
          environment: start.environment,
          ...(stopSignal !== undefined && { stopSignal }),
        });
      },
    }),
  };
}
