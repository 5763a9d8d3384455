/** The name of a service's log file: short where that cannot be mistaken (U-13). */
import type { Service, ServiceId, Workspace } from '../../workspace/index.ts';

/** `<name>.log` where the service's name is unique in the workspace, else `<module>--<name>.log`: no name holds `--` (W-2). */
function logFileName(workspace: Workspace, id: ServiceId): string {
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

/** The names of a run's log files. One that is given stays, whoever joins the run later (F-17). */
export class LogFileNames {
  readonly #names: Map<ServiceId, string>;

  /** With those of every service of the workspace. */
  constructor(workspace: Workspace) {
    this.#names = new Map([...workspace.services.keys()].map((id) => [id, logFileName(workspace, id)]));
  }

  /** Every service that has a name. */
  get services(): readonly ServiceId[] {
    return [...this.#names.keys()];
  }

  /** Of a service that is new, the short name where nobody has it yet. */
  of(service: ServiceId): string {
    const known = this.#names.get(service);
    if (known !== undefined) return known;
    const short = `${service.slice(service.indexOf('/') + 1)}.log`;
    const isTaken = [...this.#names.values()].includes(short);
    const name = isTaken ? `${service.replace('/', '--')}.log` : short;
    this.#names.set(service, name);
    return name;
  }
}
