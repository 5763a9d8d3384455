/** What a person reads before deciding about a process group (T-9). */
import type { RecoveryReceipt } from '../../processes/index.ts';
import { table } from './table.ts';

const verdicts: Readonly<Record<RecoveryReceipt['verdict'], string>> = {
  dead: 'is dead',
  own: "is proven to be skein's own",
  'another-boot': 'began as its record says, but in another boot of the machine',
  leaderless: 'has lost its first process, and what is left is not proven to be its rest',
  scattered: 'has a record whose processes are not one group of one session',
  damaged: 'is found by a damaged record',
};

/** The receipt in words: whose the group is said to be, who would be signalled, and how to have that done. */
export function recoveryText(receipt: RecoveryReceipt): string {
  const { group, verdict } = receipt;
  return [
    `process group ${group} ${verdicts[verdict]}`,
    table(factsOf(receipt)),
    consequenceOf(receipt),
    'To have that done, and nothing else, save the receipt and hand it back:',
    `  skein recover process-group ${group} --preview --json > ${group}.json`,
    `  skein recover process-group ${group} --expect ${group}.json`,
  ].join('\n');
}

function factsOf(receipt: RecoveryReceipt): readonly (readonly string[])[] {
  const { purpose, reservedAt } = receipt;
  const facts: readonly (readonly [string, string | null | undefined])[] = [
    ['service', purpose?.kind === 'service' ? `${purpose.service} of run ${purpose.run}` : null],
    ['agent', purpose?.kind === 'agent' ? purpose.agent : null],
    ['workspace', receipt.workspaceRoot],
    ['command', receipt.commandLine],
    ['since', reservedAt === null ? null : new Date(reservedAt).toISOString()],
    ['record', receipt.record],
  ];
  return facts.flatMap(([name, fact]) => (fact == null ? [] : [[`  ${name}`, fact]]));
}

function consequenceOf({ members, stopSignal }: RecoveryReceipt): string {
  if (members.length === 0) return 'Nobody would be signalled; its record would be removed.';
  const rows = members.map(({ pid, command }) => [`  ${pid}`, command]);
  return `${stopSignal} would go to these processes, and SIGKILL where they outlive it:\n${table(rows)}`;
}
