/** The `health` of a service as written becomes its probe commands (R-1 `command`, R-4). */
import { type ErrorCode, SkeinError } from '../errors/index.ts';
import type { CommandProbeBody } from './bodies.ts';
import type { Path } from './document.ts';
import type { ServiceDraft } from './draft.ts';
import type { CommandProbe, Health } from './model.ts';
import { besideReadiness, probePurposes, probeTiming, timingKeys } from './probe-timing.ts';

/** `undefined` where none is declared, or none can be; what is wrong goes to `faults` (SK1012, SK1041). */
export function serviceHealth(draft: ServiceDraft, faults: SkeinError[]): Health<CommandProbe> | undefined {
  const { health, kind } = draft.body;
  if (health === undefined) return undefined;
  const path = [...draft.path, 'health'];
  const refuse = (code: ErrorCode, message: string, at: Path): undefined => {
    faults.push(new SkeinError(code, message, { place: draft.document.place(at) }));
  };
  if (kind === 'job') return refuse('SK1041', 'a job has no health: its end says how it went', path);
  const { command, readiness } = health;
  const timing = timingKeys.find((key) => health[key] !== undefined);
  const flat = command === undefined ? timing : 'command';
  const isSound = !draft.doubts.about(path);
  if (flat !== undefined && readiness !== undefined) refuse('SK1041', besideReadiness(flat), [...path, flat]);
  else if (command === undefined && timing !== undefined && isSound)
    refuse('SK1041', `\`${timing}\` needs a \`command\` to time`, [...path, timing]);
  else if (flat === undefined && probePurposes.every((purpose) => health[purpose] === undefined) && isSound)
    refuse('SK1012', '`command` is missing; it must be a command: text, or a list of words', [
      ...path,
      'command',
    ]);
  const probes = probePurposes.flatMap((purpose) => {
    const declared =
      health[purpose] ??
      (purpose === 'readiness' && command !== undefined ? { ...health, command } : undefined);
    return declared === undefined ? [] : [[purpose, commandProbe(declared)] as const];
  });
  return probes.length === 0 ? undefined : Object.fromEntries(probes);
}

function commandProbe(body: CommandProbeBody): CommandProbe {
  const { command } = body;
  return {
    command: typeof command === 'string' ? command : command.filter((word) => word !== undefined),
    timing: probeTiming(body),
  };
}
