/**
 * The registry of process groups (T-7 … T-10): whatever skein starts is on record before it runs, so that it is never
 * lost; and nothing is signalled that its record does not prove to be skein's own.
 */

export type { AdoptedGroup } from './adopted-group.ts';
export { clearRegistry } from './clear.ts';
export { settlementFault } from './faults.ts';
export { registryFolder } from './folder.ts';
export { killLedBy, LeadersOnRecord } from './leader.ts';
export { type RegistryEntry, readRegistry } from './read.ts';
export { PROCESS_GROUP_VARIABLE } from './record.ts';
export { type RecoveryReceipt, recoverGroup, recoveryReceipt } from './recovery.ts';
export { type RegisteredGroup, Registrar, type Registration } from './registrar.ts';
export { type Settlement, settle } from './settle.ts';
export { entriesOfWorkspace } from './workspace.ts';
