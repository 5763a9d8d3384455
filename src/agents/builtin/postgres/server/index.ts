/** The running server: its arguments, its start and stop, and what an earlier one left behind. */
export { serverArguments } from './arguments.ts';
export { launchServer, stopServer } from './launch.ts';
export { clearAfterKill, killLeftBehind, settlePrevious } from './previous.ts';
export { noteServer } from './record.ts';
