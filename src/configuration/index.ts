/** What a service's process is told: references, secrets, exposed configurations, and the environment made of them. */
export { callerEnvironment } from './caller.ts';
export { checkReferences, referencedProducers, referencesOf } from './check.ts';
export { configurationErrors } from './errors.ts';
export {
  type ExposedConfiguration,
  hashExposed,
  judgeExposed,
} from './exposed.ts';
export { resolveEnvironment } from './resolve.ts';
export type { Variable } from './variable.ts';
