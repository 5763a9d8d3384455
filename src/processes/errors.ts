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
};
