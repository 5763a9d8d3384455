/** The command line library's complaints in our words: what is wrong, the nearest that is right, where to look (U-3). */
import type { CommanderError } from '@commander-js/extra-typings';
import { type ErrorCode, SkeinError } from '../errors/index.ts';

const codes: Readonly<Record<string, ErrorCode>> = {
  'commander.unknownCommand': 'SK1550',
  'commander.unknownOption': 'SK1551',
  'commander.excessArguments': 'SK1552',
  'commander.invalidArgument': 'SK1552',
  'commander.missingArgument': 'SK1553',
  'commander.optionMissingArgument': 'SK1553',
  'commander.missingMandatoryOptionValue': 'SK1553',
  'commander.conflictingOption': 'SK1554',
};

export function usageError(error: CommanderError): SkeinError {
  const [message = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  // The library says `(Did you mean run?)` on a line of its own.
  const meant = suggestion === undefined ? '' : `; ${suggestion.replace(/^\(D/, 'd').replace(/\)$/, '')}`;
  return new SkeinError(codes[error.code] ?? 'SK1552', message.replaceAll("'", '`') + meant);
}
