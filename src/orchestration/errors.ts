/** What can go wrong with a run as a whole, and what a person does about it. */
import type { ErrorTable } from '../errors/index.ts';

export const orchestrationErrors: ErrorTable = {
  SK1401: {
    title: 'a service failed before the run was ready',
    remedy: 'Read its last lines above, mend the service, and run again.',
  },
  SK1403: {
    title: 'there is nothing to run',
    remedy: 'Name services that the workspace has, or declare some in workspace.skein.yaml.',
  },
  SK1404: {
    title: 'the run was stopped before it was ready',
    remedy: 'Run again.',
  },
  SK1405: {
    title: 'the service takes no part in this run',
    remedy: 'Name a service that `skein status` lists.',
  },
  SK1406: {
    title: 'a service failed after the run was ready',
    remedy: 'Read its last lines above; `skein logs SERVICE` has the rest.',
  },
  SK1407: {
    title: 'the run is being stopped',
    remedy: 'Wait for its end, then run again.',
  },
  SK1408: {
    title: 'a service may still run after its stop',
    remedy: "Look for its process with `ps`, and see the agent's log with `skein logs`.",
  },
  SK1409: {
    title: 'skein itself failed',
    remedy: 'This is a bug of skein: please report it with the output of --verbose.',
  },
  SK1410: {
    title: 'a variable that no process can be given',
    remedy: 'Remove the NUL character (`\\0` in a double-quoted text); pass binary data in a file.',
  },
  SK1411: {
    title: 'the end of one service cut others off',
    remedy:
      'Let the service that ends depend on what only serves it; leave out --until-exit to let every one end.',
  },
  SK1412: {
    title: 'a choice of services that contradicts itself',
    remedy: 'See `skein run --help` for what the options choose.',
  },
  SK1413: {
    title: 'a reference to a service that is left out',
    remedy: 'Start the service with the run, or write the value out where the reference stands.',
  },
  SK1414: {
    title: 'an environment file that cannot be written',
    remedy: 'Name a file in a folder that exists and that this user may write to.',
  },
  SK1415: {
    title: 'the run cannot be extended',
    remedy: 'Stop it with `skein stop` and run again.',
  },
  SK1416: {
    title: 'kept data that cannot be deleted',
    remedy: 'Mend what the message names, and run `skein clear --data` again: it goes on where it stopped.',
  },
  SK1417: {
    title: 'a symbolic link where kept data lies',
    remedy: 'Delete by hand what it leads to, if that may go, and the link.',
  },
};
