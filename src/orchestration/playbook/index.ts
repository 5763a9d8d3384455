export type { ActionResult, Dispatcher, DispatcherOptions } from './dispatcher.ts';
export { createDispatcher } from './dispatcher.ts';
export type { PlaybookGraph } from './graph.ts';
export { playbookGraph } from './graph.ts';
export { runPolicy } from './policies/run.ts';
export { type Action, type Policy, policyUntil } from './policy.ts';
