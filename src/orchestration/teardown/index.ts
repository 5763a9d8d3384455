/** Tearing down: which order, within which time, and with which receipt. */
export { teardownErrors } from './errors.ts';
export { type TeardownEdge, teardownLayers } from './layers.ts';
export {
  FORCE_BUDGET_MS,
  type ForceAnswer,
  type StopAnswer,
  type StopLimits,
  type TeardownParticipant,
  type TeardownProgress,
  type TeardownRequest,
  type TeardownResult,
  tearDown,
} from './teardown.ts';
export { DEFAULT_LAYER_BUDGET_MS, HURRIED_BUDGET_MS, type Hurry } from './urgency.ts';
