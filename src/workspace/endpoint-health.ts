/** The `health` of an endpoint as written becomes its probes. */
import { SkeinError } from '../errors/index.ts';
import type { EndpointBody, EndpointProbeBody } from './bodies.ts';
import type { Path } from './document.ts';
import type { ServiceDraft } from './draft.ts';
import type { Api, EndpointProbe, Health, HttpHealth } from './model.ts';
import { besideReadiness, probePurposes, probeTiming, timingKeys } from './probe-timing.ts';

export interface EndpointPlace {
  readonly draft: ServiceDraft;
  /** Of the endpoint in the document. */
  readonly path: Path;
  readonly api: Api;
}

const httpApis: ReadonlySet<Api> = new Set<Api>(['http', 'rest', 'connect']);
const httpKeys = ['path', 'method', 'statuses', 'headers', 'body-contains'] as const;
const flatKeys = [...httpKeys, 'services', ...timingKeys] as const;

/** `undefined` where none is declared, or none can be; what is wrong goes to `faults` (SK1041). */
export function endpointHealth(
  endpoint: EndpointPlace,
  { health }: EndpointBody,
  faults: SkeinError[],
): Health<EndpointProbe> | undefined {
  if (health === undefined) return undefined;
  const { draft, api } = endpoint;
  const path = [...endpoint.path, 'health'];
  const refuse = (message: string, at: Path): undefined => {
    faults.push(new SkeinError('SK1041', message, { place: draft.document.place(at) }));
  };
  if (api === 'udp') return refuse('an endpoint of `udp` has no health: nothing answers there by rule', path);
  if (draft.body.kind === 'job')
    return refuse('an endpoint of a job has no health: nothing waits for it to answer', path);
  const flat = flatKeys.find((key) => health[key] !== undefined);
  if (flat !== undefined && health.readiness !== undefined) refuse(besideReadiness(flat), [...path, flat]);
  const probes = probePurposes.flatMap((purpose) => {
    const declared = health[purpose];
    const probe =
      declared !== undefined
        ? new ProbeReader(endpoint, [...path, purpose], declared, faults).read()
        : purpose === 'readiness' && flat !== undefined
          ? new ProbeReader(endpoint, path, health, faults).read()
          : undefined;
    return probe === undefined ? [] : [[purpose, probe] as const];
  });
  return Object.fromEntries(probes);
}

class ProbeReader {
  readonly #endpoint: EndpointPlace;
  /** Of the probe in the document. */
  readonly #path: Path;
  readonly #body: EndpointProbeBody;
  readonly #faults: SkeinError[];

  constructor(endpoint: EndpointPlace, path: Path, body: EndpointProbeBody, faults: SkeinError[]) {
    this.#endpoint = endpoint;
    this.#path = path;
    this.#body = body;
    this.#faults = faults;
  }

  read(): EndpointProbe {
    const { services } = this.#body;
    const { api } = this.#endpoint;
    if (services !== undefined && api !== 'grpc')
      this.#fault(`\`services\` is for \`grpc\`; this endpoint speaks \`${api}\``, ['services']);
    const http = this.#http();
    return {
      ...(http !== undefined && { http }),
      grpcServices: (services ?? []).filter((service) => service !== undefined),
      timing: probeTiming(this.#body),
    };
  }

  #http(): HttpHealth | undefined {
    const body = this.#body;
    const { api, draft } = this.#endpoint;
    const first = httpKeys.find((key) => body[key] !== undefined);
    if (first === undefined) return undefined;
    if (!httpApis.has(api)) {
      this.#fault(`\`${first}\` is for \`http\`, \`rest\` and \`connect\`; this endpoint speaks \`${api}\``, [
        first,
      ]);
      return undefined;
    }
    const { path, method, 'body-contains': contains } = body;
    if (path === undefined) {
      if (!draft.doubts.about(this.#path))
        this.#fault(`\`${first}\` needs a \`path\`: none is guessed`, [first]);
      return undefined;
    }
    if (contains !== undefined && method === 'HEAD')
      this.#fault('`body-contains` needs `method: GET`: a HEAD has no body', ['method']);
    return {
      path,
      method: method ?? (contains === undefined ? 'HEAD' : 'GET'),
      statuses: this.#statuses(),
      headers: new Map(Object.keys(body.headers ?? {}).map((name) => [name, this.#header(name)])),
      ...(contains !== undefined && { bodyContains: contains }),
    };
  }

  #statuses(): readonly (readonly [number, number])[] {
    const { statuses } = this.#body;
    if (statuses === undefined) return [[200, 399]];
    return statuses.flatMap((status, index): [number, number][] => {
      if (status === undefined) return [];
      const [low = Number.NaN, high = low] = String(status).split('-').map(Number);
      if (low <= high) return [[low, high]];
      this.#fault(`the range of statuses \`${status}\` ends before it begins`, ['statuses', index]);
      return [];
    });
  }

  #header(name: string): string {
    const value = this.#endpoint.draft.document.written([...this.#path, 'headers', name]) ?? '';
    if (/[\r\n\0]/.test(value)) this.#fault(`the header \`${name}\` holds a line break`, ['headers', name]);
    return value;
  }

  #fault(message: string, steps: Path): void {
    const place = this.#endpoint.draft.document.place([...this.#path, ...steps]);
    this.#faults.push(new SkeinError('SK1041', message, { place }));
  }
}
