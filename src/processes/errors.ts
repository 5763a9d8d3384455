/** What can go wrong when processes are started, watched, stopped and identified: SK1601–SK1699. */
import type { ErrorTable } from '../errors/index.ts';

export const processErrors: ErrorTable = {
  SK1601: {
    title: 'The command was not found',
    remedy: 'Install the program, correct its name, or give its path; PATH is that of the service.',
  },
  SK1602: {
    title: 'The command cannot be executed',
    remedy: 'Name a program file that this user may execute (chmod +x), with an interpreter that exists.',
  },
  SK1603: {
    title: 'The working directory cannot be entered',
    remedy: 'Create the folder, correct its path, or grant this user access to it.',
  },
  SK1604: {
    title: 'The machine has no room for another process',
    remedy:
      'Stop some processes, or raise the limits on processes (ulimit -u), open files (ulimit -n) or memory.',
  },
  SK1605: {
    title: 'The program file is being written',
    remedy: 'Start it again when the build or copy that writes the file has ended.',
  },
  SK1606: {
    title: 'The arguments or the environment cannot be passed to a process',
    remedy: 'Remove NUL characters and empty or ill-formed variable names; pass large values in a file.',
  },
  SK1607: {
    title: 'The process may not be started as another user or group',
    remedy: 'Start skein with the right to change users, or leave the user and group as they are.',
  },
  SK1608: {
    title: "A process's exit was collected by somebody else",
    remedy: 'Report this as a bug, naming the native modules in use; SKEIN_SPAWNER=node works around it.',
  },
  SK1609: {
    title: 'A process group may not be signalled',
    remedy: 'Stop the processes named as the user who owns them.',
  },
  SK1610: {
    title: 'The process could not be started',
    remedy: "Look up the system's error named in the message; SKEIN_SPAWNER=node tries the portable way.",
  },
  SK1611: {
    title: 'What the system knows about processes and ports could not be read',
    remedy: 'On Linux mount /proc; on macOS have ps, lsof and sysctl on their usual paths.',
  },
  SK1612: {
    title: 'posix_spawn cannot be called in libc',
    remedy:
      'Leave SKEIN_SPAWNER unset, or install koffi for this platform with glibc 2.29 or later, musl, or macOS 10.15.',
  },
  SK1613: {
    title: 'The folder for records of process groups is not safe',
    remedy:
      'Remove what the message names, or set XDG_STATE_HOME to a folder of your own; nothing is started unregistered.',
  },
  SK1614: {
    title: 'A process group cannot be registered',
    remedy: 'Make room and grant write access where the message says; nothing is started unregistered.',
  },
  SK1615: {
    title: 'The records of process groups cannot be read',
    remedy: 'Grant read access to the folder that the message names; until then nothing is signalled.',
  },
  SK1616: {
    title: 'A damaged record of a process group',
    remedy:
      'If it still runs, see `skein recover process-group PGID --preview` with its number; else remove the file named.',
  },
  SK1617: {
    title: "A process group that is not proven to be skein's",
    remedy: 'Find its number with ps, and see `skein recover process-group PGID --preview`.',
  },
  SK1618: {
    title: 'No such process group on record',
    remedy: 'Name the number of a group that `skein stop` has left running.',
  },
  SK1619: {
    title: 'A receipt that does not hold any more',
    remedy:
      'Ask for a new one with `skein recover process-group PGID --preview`, and read it before you use it.',
  },
  SK1620: {
    title: 'A process group outlived SIGKILL',
    remedy: 'See with `ps -o pid,stat,wchan,args` what holds its processes; such a state may end by itself.',
  },
  SK1621: {
    title: 'A process that left its group',
    remedy:
      'Look at the processes named, and end them with `kill`; their record goes with the next `skein stop`.',
  },
};
