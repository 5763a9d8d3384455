/** Identities (W-2): how they are put together, and which service a person means by a name. */
import { nearest, SkeinError } from '../errors/index.ts';
import type { EndpointId, ServiceId, Workspace } from './model.ts';

/** `^[a-z][a-z0-9-]{0,62}$` without `--` (W-2). */
export const namePattern: RegExp = /^(?!.*--)[a-z][a-z0-9-]{0,62}$/;

/** Both parts are names already judged. */
export function serviceId(module: string, name: string): ServiceId {
  return `${module}/${name}` as ServiceId;
}

export function endpointId(service: ServiceId, name: string): EndpointId {
  return `${service}/${name}` as EndpointId;
}

/**
 * The service that `written` names: `module/service`, or the bare name where it is unique in the workspace (W-2).
 * @throws {SkeinError} SK1031 (none; the nearest is suggested), SK1032 (several; all are named).
 */
export function resolveServiceName(workspace: Workspace, written: string): ServiceId {
  const exact = workspace.services.get(written as ServiceId);
  if (exact !== undefined) return exact.id;
  const services = [...workspace.services.values()];
  const matches = services.filter((service) => service.name === written).map((service) => service.id);
  const [only, ...others] = matches;
  if (only !== undefined && others.length === 0) return only;
  if (only !== undefined)
    throw new SkeinError('SK1032', `\`${written}\` names several services: ${matches.join(', ')}`, {
      remedy: `Write one of them with its module: ${matches.join(' or ')}.`,
    });
  const known = written.includes('/')
    ? services.map((service) => service.id)
    : services.map((service) => service.name);
  const guess = nearest(written, known);
  const hint = guess === undefined ? '' : `; did you mean \`${guess}\`?`;
  throw new SkeinError('SK1031', `workspace ${workspace.name} has no service \`${written}\`${hint}`);
}
