/** What a request chooses in a workspace: written names become identities, and all that is wrong is said at once. */
import { SkeinError, SkeinFaults } from '../../errors/index.ts';
import { parsePortOverride } from '../../network/index.ts';
import { contradictions, type FlowOptions } from '../../orchestration/index.ts';
import { resolveServiceName, type ServiceId, type Workspace } from '../../workspace/index.ts';
import type { RunRequest } from './request.ts';

type Choice = Pick<FlowOptions, 'roots' | 'part' | 'excluded' | 'ports' | 'until' | 'outputEnvironment'>;

/** @throws {SkeinFaults} SK1031, SK1032 (names), SK1203 (ports), SK1412 (what contradicts itself) */
export function choiceOf(workspace: Workspace, request: RunRequest): Choice {
  const faults: SkeinError[] = [];
  const gather = <Result>(work: () => Result): Result[] => {
    try {
      return [work()];
    } catch (error) {
      if (!(error instanceof SkeinError)) throw error;
      faults.push(error);
      return [];
    }
  };
  const services = (names: readonly string[]): ServiceId[] =>
    names.flatMap((name) => gather(() => resolveServiceName(workspace, name)));
  const { part, until, outputEnvironment: output } = request;
  const roots = services(request.services);
  const excluded = new Set(services(request.excluded));
  const ports = request.ports.flatMap((written) => gather(() => parsePortOverride(workspace, written)));
  const [service] = services(output?.service === undefined ? [] : [output.service]);
  const rootCount =
    request.services.length > 0
      ? new Set(request.services).size
      : [...workspace.services.keys()].filter((id) => !excluded.has(id)).length;
  faults.push(...contradictions({ roots, part, excluded }, rootCount));
  if (faults.length > 0) throw new SkeinFaults(faults);
  return {
    roots,
    part,
    excluded,
    ports: new Map(ports.map(({ endpoint, port }) => [endpoint, port])),
    ...(until !== undefined && { until }),
    ...(output !== undefined && {
      outputEnvironment: { file: output.file, ...(service !== undefined && { service }) },
    }),
  };
}
