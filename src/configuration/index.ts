/** What a service's process is told: references, secrets, exposed configurations, and the environment made of them. */
export { type CallerEnvironment, callerEnvironment, callerVariables } from './caller.ts';
export type { RunFacts, Sources } from './carriers.ts';
export { checkReferences, referencedProducers } from './check.ts';
export { configurationErrors } from './errors.ts';
export {
  type ExposedConfiguration,
  type ExposedValue,
  hashExposed,
  judgeExposed,
  type Lookup,
  lookUp,
} from './exposed.ts';
export { type Part, type Piece, parseTemplate, type Reference } from './reference.ts';
export {
  type EnvironmentSources,
  type Resolved,
  type ResolvedEnvironment,
  resolveEnvironment,
  resolveTemplate,
} from './resolve.ts';
export { hasPassword, isCredentialKey, isSecret, type Judged, mask, masked } from './secret.ts';
export { type Selection, selectEndpoint } from './select.ts';
export { carrierName, type Variable } from './variable.ts';
