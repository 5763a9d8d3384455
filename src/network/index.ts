/** Ports and addresses: which are proposed, which are accepted, who may see them, and who holds one already. */
export {
  type Accepted,
  type Answer,
  type AnsweredInstance,
  type AnsweredMapping,
  accept,
} from './acceptance.ts';
export { networkErrors } from './errors.ts';
export {
  type Access,
  accesses,
  authorityOf,
  hasUrl,
  type NetworkInstance,
  type NetworkMapping,
  type Transport,
  transportOf,
  urlOf,
} from './mapping.ts';
export { hashMappings } from './mapping-hash.ts';
export { type OccupiedPortsOptions, occupiedPorts, refuseOccupiedPorts } from './occupied.ts';
export { parsePortOverride } from './port-override.ts';
export { assignPorts, firstDerivedPort, lastDerivedPort, type PortOptions } from './ports.ts';
export { loopbackHost, propose, proposeAgain, type ViewHosts } from './proposal.ts';
export { TemporaryPorts } from './temporary-ports.ts';
export { type HandOut, visibleMappings, whyOutOfReach } from './visibility.ts';
