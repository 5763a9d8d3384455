/** The name of a service's log file: short where that cannot be mistaken (U-13). */
import type { Service, ServiceId, Workspace } from '../../workspace/index.ts';

/** `<name>.log` where the service's name is unique in the workspace, else `<module>--<name>.log`: no name holds `--` (W-2). */
export function logFileName(workspace: Workspace, id: ServiceId): string {
  return `${uniqueName(workspace, id, '--')}.log`;
}

/** The service's name as people read it: without its module where the name is unique in the workspace. */
export function shortName(workspace: Workspace, id: ServiceId): string {
  return uniqueName(workspace, id, '/');
}

function uniqueName(workspace: Workspace, id: ServiceId, separator: string): string {
  const [module = '', name = ''] = id.split('/');
  const sameName = (service: Service): boolean => service.name === name && service.id !== id;
  return [...workspace.services.values()].some(sameName) ? `${module}${separator}${name}` : name;
}
