/** What can be wrong with a command line, and what a command itself can fail with: SK1550–SK1599. */
import type { ErrorTable } from '../errors/index.ts';

export const cliErrors: ErrorTable = {
  SK1550: { title: 'no such command', remedy: 'See `skein --help` for the commands.' },
  SK1551: { title: 'no such option', remedy: "See the command's --help for its options." },
  SK1552: { title: 'a value that does not fit', remedy: "See the command's --help for what it takes." },
  SK1553: { title: 'something is missing', remedy: "See the command's --help for what it takes." },
  SK1554: { title: 'options that contradict each other', remedy: 'Leave out one of them.' },
  SK1555: {
    title: 'a working directory that was removed',
    remedy: 'Change into a folder that exists, or name one with --cwd.',
  },
  SK1556: {
    title: 'a file that is not the receipt needed',
    remedy: 'Save one with `skein recover process-group PGID --preview --json > FILE`.',
  },
  SK1557: {
    title: 'a deletion that nobody has confirmed',
    remedy: 'See with --dry-run what would go; add --yes to delete it.',
  },
  SK1560: {
    title: 'output that cannot be written',
    remedy: 'Make room where stdout goes, or let it go elsewhere, and run the command again.',
  },
  SK1599: {
    title: 'a fault of skein itself',
    remedy: 'Run the command again with --verbose, and report what it prints.',
  },
};
