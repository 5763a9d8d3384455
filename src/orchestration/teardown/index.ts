/** Tearing down: which order, within which time, and with which receipt. */
export { teardownErrors } from './errors.ts';
export { workspaceLayers } from './layers.ts';
export {
  FORCE_BUDGET_MS,
  type ForceAnswer,
  type StopAnswer,
  type StopLimits,
  type TeardownProgress,
  tearDown,
} from './teardown.ts';
export { HURRIED_BUDGET_MS } from './urgency.ts';
