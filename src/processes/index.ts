/** How skein starts, watches, stops and identifies groups of processes, and reads what they print. */
export { AnsiStripper, hasAnsi, onlyColours, stripAnsi } from './ansi.ts';
export { callerVariables } from './caller-variables.ts';
export { processErrors } from './errors.ts';
export type { Exit, GroupProcess, ProcessGroup, SpawnOptions } from './group.ts';
export {
  bootIdentity,
  isSameProcess,
  isStillRunning,
  type ProcessIdentity,
  processIdentity,
  startIdentity,
} from './identity.ts';
export {
  LineSplitter,
  type LineSplitterOptions,
  type Lines,
  lineCount,
  type OutputStream,
} from './lines.ts';
export { type ListenerOwnership, listenerOwnership } from './listener-ownership.ts';
export { holderOf, listeners } from './listeners.ts';
export { privacyFault } from './private-folder.ts';
export { untilUnread } from './reader.ts';
export {
  type AdoptedGroup,
  clearRegistry,
  entriesOfWorkspace,
  killLedBy,
  LeadersOnRecord,
  PROCESS_GROUP_VARIABLE,
  type RecoveryReceipt,
  type RegisteredGroup,
  Registrar,
  type Registration,
  type RegistryEntry,
  readRegistry,
  recoverGroup,
  recoveryReceipt,
  registryFolder,
  type Settlement,
  settle,
  settlementFault,
} from './registry/index.ts';
export { signalGroup } from './signal.ts';
export { takeInOrphans } from './spawning/orphans.ts';
export { prepareSpawner, spawnGroup } from './spawning/spawn-group.ts';
export { killGroup, type StopOptions, type StopOutcome, stopGroup } from './stop.ts';
export type { GroupMember, Listener, PortHolder } from './system.ts';
