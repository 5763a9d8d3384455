/** What can go wrong around a run's record, its socket and its API: SK1501–SK1549. */
import type { ErrorTable } from '../errors/index.ts';

export const controlErrors: ErrorTable = {
  SK1501: {
    title: 'a run of this workspace is live',
    remedy: 'Watch it with `skein status` and `skein logs --follow`, or end it with `skein stop`.',
  },
  SK1502: { title: 'no run of this workspace is live', remedy: 'Start one with `skein run`.' },
  SK1503: {
    title: 'the folder for sockets is not safe',
    remedy:
      'Remove the folder named, or set XDG_RUNTIME_DIR to a folder that only this user may enter (0700).',
  },
  SK1504: {
    title: 'the path of the socket is too long',
    remedy: 'Set XDG_RUNTIME_DIR or TMPDIR to a folder with a shorter path.',
  },
  SK1505: {
    title: "the run's API does not answer",
    remedy: 'Try again; if it stays so, end the supervisor with `kill -INT` and its pid.',
  },
  SK1506: {
    title: "a run's record cannot be read or written",
    remedy: 'Check the permissions and the free space of the folder .skein in the workspace.',
  },
  SK1507: {
    title: 'the service is not part of the run',
    remedy: 'See `skein status` for the services that are; start a run that includes it.',
  },
  SK1508: { title: 'a request that cannot be acted on', remedy: 'Correct the request as the message says.' },
  SK1509: {
    title: 'the supervisor ended before the run had begun',
    remedy: 'Read the supervisor.log named in the message.',
  },
  SK1511: {
    title: "the run's socket cannot be opened",
    remedy: 'Check the permissions and the free space of the folder named.',
  },
  SK1512: {
    title: 'the supervisor did not end',
    remedy: 'End it with `kill -INT` and its pid; `skein stop` then finds what it left.',
  },
  SK1513: { title: 'no output of an ended run', remedy: 'Start a run with `skein run`; its output is kept.' },
  SK1514: {
    title: 'events that are not kept any more',
    remedy: 'Fetch the snapshot, which contains them, and watch from its sequence on.',
  },
  SK1515: {
    title: 'a damaged record of a run',
    remedy: 'Remove the file named: all that is lost is what it said of a run.',
  },
  SK1516: {
    title: 'a run that lives and cannot be asked',
    remedy: 'End its process with `kill -INT` and the pid named; it stops its services in order.',
  },
  SK1517: {
    title: 'sockets of dead runs cannot be removed',
    remedy: 'Check the permissions of what the message names, or remove it by hand.',
  },
  SK1518: {
    title: 'the kept data of this workspace is being deleted',
    remedy: 'Run the command again once `skein clear --data` has ended.',
  },
  SK1519: {
    title: 'something of a dead run may still use the kept data',
    remedy: 'Run `skein stop`, which stops what dead runs have left, and then `skein clear --data` again.',
  },
};
