/** An endpoint as written becomes the model's endpoint (W-7), its health included. */
import { type ErrorCode, type FilePlace, formatPlace, SkeinError } from '../errors/index.ts';
import type { EndpointBody, HealthBody } from './bodies.ts';
import type { Path } from './document.ts';
import type { ServiceDraft } from './draft.ts';
import { durationMs } from './duration.ts';
import type { Api, DurationMs, Endpoint, HttpHealth, Port, ProbeTiming } from './model.ts';
import { endpointId } from './names.ts';

const apis: ReadonlySet<string> = new Set<Api>(['http', 'grpc', 'rest', 'connect', 'tcp', 'udp']);
const httpApis: ReadonlySet<Api> = new Set<Api>(['http', 'rest', 'connect']);

/** The sound endpoints of a service, in written order; what is wrong goes to `faults` (SK1012, SK1030, SK1040, SK1041). */
export function endpointsOf(draft: ServiceDraft, faults: SkeinError[]): readonly Endpoint[] {
  const endpoints = new Map<string, Endpoint>();
  for (const [index, body] of (draft.body.endpoints ?? []).entries()) {
    if (body === undefined) continue;
    const endpoint = new EndpointReader(draft, [...draft.path, 'endpoints', index], body, faults).read();
    const first = endpoints.get(body.name);
    if (first !== undefined) {
      const message = `endpoint \`${endpoint.id}\` is declared twice: here and at ${formatPlace(first.place)}`;
      faults.push(new SkeinError('SK1030', message, { place: endpoint.place }));
    } else endpoints.set(body.name, endpoint);
  }
  return [...endpoints.values()];
}

class EndpointReader {
  readonly #draft: ServiceDraft;
  readonly #path: Path;
  readonly #body: EndpointBody;
  readonly #faults: SkeinError[];

  constructor(draft: ServiceDraft, path: Path, body: EndpointBody, faults: SkeinError[]) {
    this.#draft = draft;
    this.#path = path;
    this.#body = body;
    this.#faults = faults;
  }

  read(): Endpoint {
    const { name, port, visibility = 'private', exposure, secured = false } = this.#body;
    const api = this.#api();
    if (!this.#doubted('visibility') && !this.#doubted('exposure')) this.#judgeExposure();
    const health = this.#body.health && this.#health(api, this.#body.health);
    return {
      id: endpointId(this.#draft.id, name),
      name,
      api,
      ...(port !== undefined && { port: port as Port }),
      visibility,
      ...(exposure !== undefined && { exposure }),
      secured,
      ...health,
      grpcServices: (this.#body.health?.services ?? []).filter((service) => service !== undefined),
      place: this.#place('name'),
    };
  }

  #api(): Api {
    const { api, name } = this.#body;
    if (api !== undefined) return api;
    if (apis.has(name)) return name as Api;
    if (!this.#doubted('api')) {
      const known = [...apis].map((word) => `\`${word}\``).join(', ');
      this.#fault(
        'SK1012',
        `\`api\` is missing, and the name \`${name}\` is none of ${known}, which would stand for it`,
        [],
      );
    }
    return 'tcp';
  }

  #judgeExposure(): void {
    const { name, visibility = 'private', exposure } = this.#body;
    if (visibility === 'public' && exposure === undefined)
      this.#fault(
        'SK1040',
        `the public endpoint \`${name}\` must state its \`exposure\`: \`public\` (an address reachable from outside) or \`none\``,
        ['visibility'],
      );
    if (visibility !== 'public' && exposure === 'public')
      this.#fault(
        'SK1040',
        `\`exposure: public\` needs \`visibility: public\`; the endpoint \`${name}\` is ${visibility}`,
        ['exposure'],
      );
  }

  #health(api: Api, body: HealthBody): Pick<Endpoint, 'health' | 'probe'> {
    if (api === 'udp') {
      this.#fault('SK1041', 'an endpoint of `udp` has no health: nothing answers there by rule', ['health']);
      return {};
    }
    const timing = timingOf(body);
    const probe = Object.keys(timing).length > 0 && { probe: timing };
    if (body.services !== undefined && api !== 'grpc')
      this.#fault('SK1041', `\`services\` is for \`grpc\`; this endpoint speaks \`${api}\``, [
        'health',
        'services',
      ]);
    const httpKeys = (['path', 'method', 'statuses', 'headers', 'body-contains'] as const).filter(
      (key) => body[key] !== undefined,
    );
    const [first] = httpKeys;
    if (first === undefined) return { ...probe };
    if (!httpApis.has(api)) {
      this.#fault(
        'SK1041',
        `\`${first}\` is for \`http\`, \`rest\` and \`connect\`; this endpoint speaks \`${api}\``,
        ['health', first],
      );
      return { ...probe };
    }
    if (body.path === undefined) {
      if (!this.#doubted('health'))
        this.#fault('SK1041', `\`${first}\` needs a \`path\`: none is guessed`, ['health', first]);
      return { ...probe };
    }
    return { health: this.#httpHealth(body.path, body, timing), ...probe };
  }

  #httpHealth(path: string, body: HealthBody, timing: ProbeTiming): HttpHealth {
    const contains = body['body-contains'];
    if (contains !== undefined && body.method === 'HEAD')
      this.#fault('SK1041', '`body-contains` needs `method: GET`: a HEAD has no body', ['health', 'method']);
    return {
      path,
      method: body.method ?? (contains === undefined ? 'HEAD' : 'GET'),
      statuses: this.#statuses(body),
      headers: new Map(Object.keys(body.headers ?? {}).map((name) => [name, this.#header(name)])),
      ...(contains !== undefined && { bodyContains: contains }),
      ...timing,
    };
  }

  #statuses(body: HealthBody): readonly (readonly [number, number])[] {
    if (body.statuses === undefined) return [[200, 399]];
    return body.statuses.flatMap((status, index): [number, number][] => {
      if (status === undefined) return [];
      const [low = Number.NaN, high = low] = String(status).split('-').map(Number);
      if (low <= high) return [[low, high]];
      this.#fault('SK1041', `the range of statuses \`${status}\` ends before it begins`, [
        'health',
        'statuses',
        index,
      ]);
      return [];
    });
  }

  #header(name: string): string {
    const value = this.#draft.document.written([...this.#path, 'health', 'headers', name]) ?? '';
    if (/[\r\n\0]/.test(value))
      this.#fault('SK1041', `the header \`${name}\` holds a line break`, ['health', 'headers', name]);
    return value;
  }

  /** Whether a fault was found in this key already; then it says nothing about the others. */
  #doubted(key: keyof EndpointBody): boolean {
    return this.#draft.doubts.about([...this.#path, key]);
  }

  #place(...steps: Path): FilePlace {
    return this.#draft.document.place([...this.#path, ...steps]);
  }

  #fault(code: ErrorCode, message: string, steps: Path): void {
    this.#faults.push(new SkeinError(code, message, { place: this.#place(...steps) }));
  }
}

function timingOf(body: HealthBody): ProbeTiming {
  return {
    ...milliseconds('intervalMs', body.interval),
    ...milliseconds('timeoutMs', body.timeout),
    ...milliseconds('initialDelayMs', body['initial-delay']),
    ...(body['success-threshold'] !== undefined && { successThreshold: body['success-threshold'] }),
    ...(body['failure-threshold'] !== undefined && { failureThreshold: body['failure-threshold'] }),
  };
}

function milliseconds<Key extends string>(
  key: Key,
  written: string | undefined,
): { readonly [K in Key]?: DurationMs } {
  const ms = written === undefined ? undefined : durationMs(written);
  return (ms === undefined ? {} : { [key]: ms }) as { readonly [K in Key]?: DurationMs };
}
