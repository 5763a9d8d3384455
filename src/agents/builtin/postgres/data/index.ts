/** The data of a service: where it lies, how a cluster is made, and what is known of it. */
export { createCluster, removeUnfinished, unfinishedClusters } from './create-cluster.ts';
export { dataVersion } from './data-version.ts';
export { lockFilePath, readLockFile, removeSharedMemory } from './lock-file.ts';
export { keptPassword } from './password.ts';
export { type DataPlace, dataPlace, makeHome, removeData } from './place.ts';
export { type Access, isProvisioned, provision } from './provision.ts';
export { type ServerRun, serverEnvironment } from './server-run.ts';
