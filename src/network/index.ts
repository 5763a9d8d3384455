/** Ports and addresses: which are proposed, which are accepted, who may see them, and who holds one already. */
export {
  type AnsweredMapping,
  accept,
} from './acceptance.ts';
export { networkErrors } from './errors.ts';
export { isLoopback } from './host.ts';
export {
  type Access,
  authorityOf,
  hasUrl,
  type NetworkInstance,
  type NetworkMapping,
  transportOf,
  urlOf,
} from './mapping.ts';
export { hashMappings } from './mapping-hash.ts';
export { occupiedPorts, refuseOccupiedPorts } from './occupied.ts';
export { answeringAddresses, machineAddresses, reachableOffLoopback } from './off-loopback.ts';
export { parsePortOverride } from './port-override.ts';
export { assignPorts } from './ports.ts';
export { propose, proposeAgain } from './proposal.ts';
export { TemporaryPorts } from './temporary-ports.ts';
export { visibleMappings, whyOutOfReach } from './visibility.ts';
