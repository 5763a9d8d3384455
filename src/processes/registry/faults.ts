/** What is told of a group that was to be stopped and may still run (T-8). */
import { SkeinError } from '../../errors/index.ts';
import type { Doubt } from './judge.ts';
import type { RegistryEntry } from './read.ts';
import type { GroupPurpose } from './record.ts';
import type { Settlement } from './settle.ts';

/** SK1616, SK1617, SK1620, or what stood in the way; `undefined` where all is well. */
export function settlementFault(settlement: Settlement): SkeinError | undefined {
  const { entry } = settlement;
  switch (settlement.outcome) {
    case 'gone':
    case 'stopped':
    case 'forced':
    case 'starting':
      return undefined;
    case 'failed':
      return settlement.error;
    case 'timed-out':
      return new SkeinError(
        'SK1620',
        `${describeGroup(entry)} outlived SIGKILL: ${settlement.survivors.map(({ pid }) => pid).join(', ')} may still run`,
      );
    case 'strayed': {
      const { strays } = settlement;
      const names = strays.map(({ pid, command }) => `${pid} (${command})`).join(', ');
      return new SkeinError(
        'SK1621',
        `${describeGroup(entry)} has ended, and left running outside of it what is not proven to be its own: ${names}`,
        { remedy: `Look at it, and end it with \`kill ${strays.map(({ pid }) => pid).join(' ')}\`.` },
      );
    }
    case 'unproven':
      return unprovenFault(entry, settlement.why, settlement.groups);
  }
}

function unprovenFault(entry: RegistryEntry, why: Doubt, groups: readonly number[]): SkeinError {
  const { file } = entry;
  const group = describeGroup(entry);
  switch (why) {
    case 'damaged':
      return new SkeinError(
        'SK1616',
        `${group} is left alone: ${file} is damaged, for ${damageOf(entry)}`,
        recoveryOf(groups),
      );
    case 'another-machine':
      return new SkeinError('SK1617', `${group} is left alone: ${file} was written on another machine`, {
        remedy: 'Stop it on that machine; where that is no more, remove the file.',
      });
    default:
      return new SkeinError('SK1617', `${group} is left running: ${doubts[why]}`, recoveryOf(groups));
  }
}

/** Where nothing is there to be recovered, the remedy of the code has to do. */
function recoveryOf(groups: readonly number[]): { readonly remedy?: string } {
  if (groups.length === 0) return {};
  const commands = groups.map((group) => `\`skein recover process-group ${group} --preview\``);
  return { remedy: `See ${commands.join(' and ')}.` };
}

function damageOf({ record }: RegistryEntry): string {
  return record.is === 'damaged' ? record.why : 'it has changed';
}

const doubts = {
  'another-boot': 'it began as its record says, but in another boot of the machine',
  leaderless: 'its first process is gone, and what has its number is not proven to be the rest of it',
  scattered: 'its processes are not one group of one session',
} as const;

/** `process group 4242 (shop/api)`, as far as the record tells. */
function describeGroup({ record }: RegistryEntry): string {
  const group = record.is === 'registered' ? `process group ${record.leader.pid}` : 'a process group';
  return record.reservation === undefined ? group : `${group} (${nameOf(record.reservation.purpose)})`;
}

function nameOf(purpose: GroupPurpose): string {
  return purpose.kind === 'service' ? purpose.service : `agent ${purpose.agent}`;
}
