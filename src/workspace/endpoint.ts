/** An endpoint as written becomes the model's endpoint (W-7). */
import { type ErrorCode, type FilePlace, formatPlace, SkeinError } from '../errors/index.ts';
import type { EndpointBody } from './bodies.ts';
import type { Path } from './document.ts';
import type { ServiceDraft } from './draft.ts';
import { endpointHealth } from './endpoint-health.ts';
import type { Api, Endpoint, Port } from './model.ts';
import { endpointId } from './names.ts';

const apis: ReadonlySet<string> = new Set<Api>(['http', 'grpc', 'rest', 'connect', 'tcp', 'udp']);

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
    const health = endpointHealth({ draft: this.#draft, path: this.#path, api }, this.#body, this.#faults);
    return {
      id: endpointId(this.#draft.id, name),
      name,
      api,
      ...(port !== undefined && { port: port as Port }),
      visibility,
      ...(exposure !== undefined && { exposure }),
      secured,
      ...(health !== undefined && { health }),
      grpcServices: health?.readiness?.grpcServices ?? [],
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
