/** A service as written becomes the model's service (W-6), all but its dependencies, which need the whole workspace. */
import { formatPlace, SkeinError } from '../errors/index.ts';
import type { ServiceBody } from './bodies.ts';
import type { Path } from './document.ts';
import type { ServiceDraft } from './draft.ts';
import { durationMs } from './duration.ts';
import { endpointsOf } from './endpoint.ts';
import { resolveInside } from './files.ts';
import type { AgentReference, DurationMs, Json, RestartPolicy, Service, Template } from './model.ts';
import { serviceHealth } from './service-health.ts';

/** Everything that the service's own text decides. */
export type StandaloneService = Omit<Service, 'dependencies'>;

const defaultRestart = { policy: 'on-failure', attempts: 10, backoffMs: 1000 } as const;

/** A service as far as its own text goes. */
export interface Candidate {
  readonly draft: ServiceDraft;
  readonly service: StandaloneService;
}

/** What is wrong goes to `faults`; the service stands without it, so that others are judged against the rest. */
export function candidateOf(draft: ServiceDraft, workspaceRoot: string, faults: SkeinError[]): Candidate {
  return { draft, service: standaloneService(draft, workspaceRoot, faults) };
}

function standaloneService(
  draft: ServiceDraft,
  workspaceRoot: string,
  faults: SkeinError[],
): StandaloneService {
  const { body, document, path } = draft;
  const health = serviceHealth(draft, faults);
  return {
    id: draft.id,
    module: draft.module,
    name: draft.name,
    kind: body.kind ?? 'service',
    agent: agentOf(draft, workspaceRoot, faults),
    directory: draft.directory,
    endpoints: endpointsOf(draft, faults),
    configurationGroups: groupsOf(draft, faults),
    environment: environmentOf(draft),
    restart: restartOf(draft, faults),
    isolate: body.isolate ?? false,
    ...(health !== undefined && { health }),
    ...(body.test !== undefined && { test: jsonOf(body.test, [...path, 'test'], draft, faults) }),
    spec: specOf(draft, faults),
    specPlace: (pointer) => document.place([...path, 'spec', ...pointerSteps(pointer)]),
    place: draft.place,
  };
}

function agentOf(draft: ServiceDraft, workspaceRoot: string, faults: SkeinError[]): AgentReference {
  const written = draft.body.agent;
  const place = draft.document.place([...draft.path, 'agent']);
  if (written.startsWith('.')) {
    try {
      const path = resolveInside(written, { base: draft.directory, root: workspaceRoot }, place, 'workspace');
      return { kind: 'path', path, written, place };
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      faults.push(error);
    }
  }
  const [name = '', version] = written.split(':');
  const slash = name.indexOf('/');
  const publisher = slash === -1 ? 'skein' : name.slice(0, slash);
  return {
    kind: 'name',
    publisher,
    name: name.slice(slash + 1),
    ...(version !== undefined && { version }),
    place,
  };
}

function groupsOf(draft: ServiceDraft, faults: SkeinError[]): readonly string[] {
  const path = [...draft.path, 'workspace-configuration-dependencies'];
  const firsts = new Map<string, number>();
  for (const [index, group] of (draft.body['workspace-configuration-dependencies'] ?? []).entries()) {
    if (group === undefined) continue;
    const first = firsts.get(group);
    if (first === undefined) {
      firsts.set(group, index);
      continue;
    }
    const message = `configuration group \`${group}\` is listed twice: here and at ${formatPlace(draft.document.place([...path, first]))}`;
    faults.push(new SkeinError('SK1030', message, { place: draft.document.place([...path, index]) }));
  }
  return [...firsts.keys()];
}

function environmentOf(draft: ServiceDraft): ReadonlyMap<string, Template> {
  const environment = new Map<string, Template>();
  for (const [name, value] of Object.entries(draft.body.environment ?? {})) {
    const path = [...draft.path, 'environment', name];
    const text = typeof value === 'string' ? value : (draft.document.written(path) ?? String(value));
    environment.set(name, { text, place: draft.document.textPlace(path) });
  }
  return environment;
}

function restartOf(draft: ServiceDraft, faults: SkeinError[]): RestartPolicy {
  const { restart, kind }: ServiceBody = draft.body;
  if (restart === undefined) return { ...defaultRestart, backoffMs: defaultRestart.backoffMs as DurationMs };
  const { policy, attempts, backoff } = typeof restart === 'string' ? { policy: restart } : { ...restart };
  if (policy === 'always' && kind === 'job') {
    const message = `\`restart: always\` is for services: the job ${draft.id} would run again and again, and never have completed`;
    const place = draft.document.place([...draft.path, 'restart', 'policy']);
    faults.push(new SkeinError('SK1043', message, { place }));
  }
  return {
    policy: policy ?? defaultRestart.policy,
    attempts: attempts ?? defaultRestart.attempts,
    backoffMs: parsedDuration(backoff, defaultRestart.backoffMs),
  };
}

function parsedDuration(written: string | undefined, fallbackMs: number): DurationMs {
  return ((written === undefined ? undefined : durationMs(written)) ?? fallbackMs) as DurationMs;
}

function specOf(draft: ServiceDraft, faults: SkeinError[]): { readonly [key: string]: Json } {
  const path = [...draft.path, 'spec'];
  return Object.fromEntries(
    Object.entries(draft.body.spec ?? {}).map(([key, value]) => [
      key,
      jsonOf(value, [...path, key], draft, faults),
    ]),
  );
}

/** The value, once every number in it is known to survive as JSON (SK1011). */
function jsonOf(value: unknown, path: Path, draft: ServiceDraft, faults: SkeinError[]): Json {
  if (
    typeof value === 'number' &&
    !(Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value)))
  ) {
    const written = draft.document.written(path) ?? String(value);
    const message = `the number \`${written}\` does not survive as JSON; put it in quotes`;
    faults.push(new SkeinError('SK1011', message, { place: draft.document.place(path) }));
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) jsonOf(item, [...path, index], draft, faults);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) jsonOf(item, [...path, key], draft, faults);
  }
  return value as Json;
}

/** The steps of a JSON pointer (RFC 6901). */
function pointerSteps(pointer: string): Path {
  if (pointer === '') return [];
  return pointer
    .slice(pointer.startsWith('/') ? 1 : 0)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}
