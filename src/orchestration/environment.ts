/** The environment that a service's process gets in this run: what the configuration resolves from what was published. */
import { callerEnvironment, resolveEnvironment, type Variable } from '../configuration/index.ts';
import type { NetworkMapping } from '../network/index.ts';
import type { Service, ServiceId } from '../workspace/index.ts';
import type { SharedState } from './shared-state.ts';

export interface EnvironmentOptions {
  readonly state: SharedState;
  /** Those that take part. */
  readonly participants: ReadonlySet<ServiceId>;
  /** What a participant will be proposed, for references to one that has not published yet. */
  expected(service: Service): readonly NetworkMapping[];
  /** Those that are left out, each with the option that says so. */
  readonly excluded: ReadonlyMap<ServiceId, string>;
  /** The environment of the person who runs it (C-17). */
  readonly caller: { readonly [name: string]: string | undefined };
}

export interface ServiceEnvironment {
  readonly variables: readonly Variable[];
  /** At WARN. */
  readonly warnings: readonly string[];
}

/** @throws {SkeinError} SK11xx for what does not resolve, all together. */
export function serviceEnvironment(
  options: EnvironmentOptions,
  service: Service,
  mappings: readonly NetworkMapping[],
): ServiceEnvironment {
  const { state, participants, excluded } = options;
  const { composition } = state;
  const caller = callerEnvironment(options.caller, passedNames(service));
  const resolved = resolveEnvironment({
    workspace: composition,
    service,
    access: 'native',
    selfMappings: mappings,
    run: { environment: 'local', runtimeContext: 'native' },
    mappingsOf(id) {
      const producer = composition.services.get(id);
      if (producer === undefined || !participants.has(id)) return undefined;
      return state.published(id)?.mappings ?? options.expected(producer);
    },
    elsewhere(id) {
      const producer = composition.services.get(id);
      return producer !== undefined && excluded.has(id) ? options.expected(producer) : undefined;
    },
    configurationsOf: (id) =>
      participants.has(id) ? (state.published(id)?.configurations ?? []) : undefined,
    caller: caller.variables,
  });
  const missing = caller.missing.map(
    (name) => `${service.id} asks for ${name} in pass-environment, and it is not set where skein runs`,
  );
  return { variables: resolved.variables, warnings: [...resolved.warnings, ...missing] };
}

/** The process agent's key; other agents may have it too, with the same meaning. */
function passedNames(service: Service): readonly string[] {
  const names = service.spec['pass-environment'];
  return Array.isArray(names) ? names.filter((name): name is string => typeof name === 'string') : [];
}
