/** Reads `--port service/endpoint=N` (N-1). */
import { nearest, SkeinError } from '../errors/index.ts';
import { type EndpointId, type Port, resolveServiceName, type Workspace } from '../workspace/index.ts';

/**
 * The endpoint and the port that one `--port` names; the service may stand without its module where its name is unique
 * in the workspace (W-2).
 * @throws {SkeinError} SK1203 (malformed, or no such endpoint), SK1031 and SK1032 (no such service, or several).
 */
export function parsePortOverride(
  workspace: Workspace,
  written: string,
): { readonly endpoint: EndpointId; readonly port: Port } {
  const match = /^(?<service>[^=]+)\/(?<endpoint>[^/=]+)=(?<port>\d{1,5})$/.exec(written)?.groups;
  const port = Number(match?.['port']);
  if (match === undefined || !(port >= 1 && port <= 65_535))
    throw new SkeinError('SK1203', `--port ${written}: expected service/endpoint=N, N from 1 to 65535`);
  const service = workspace.services.get(resolveServiceName(workspace, match['service'] ?? ''));
  const endpoints = service?.endpoints ?? [];
  const endpoint = endpoints.find((candidate) => candidate.name === match['endpoint']);
  if (endpoint !== undefined) return { endpoint: endpoint.id, port: port as Port };
  const names = endpoints.map((candidate) => candidate.name);
  const guess = nearest(match['endpoint'] ?? '', names);
  const hint = guess === undefined ? '' : `; did you mean \`${guess}\`?`;
  throw new SkeinError(
    'SK1203',
    `--port ${written}: ${service?.id} has no endpoint \`${match['endpoint']}\`${hint}`,
    {
      remedy:
        names.length === 0
          ? 'The service declares no endpoint.'
          : `Name one of its endpoints: ${names.join(', ')}.`,
    },
  );
}
