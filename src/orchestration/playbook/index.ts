export type { ActionResult, Dispatcher, DispatcherOptions } from './dispatcher.ts';
export { backoffMs, createDispatcher } from './dispatcher.ts';
export type { Engine, Input, Output } from './engine.ts';
export { createEngine } from './engine.ts';
export type { PlaybookGraph, Prerequisite } from './graph.ts';
export { playbookGraph } from './graph.ts';
export { runPolicy } from './policies/run.ts';
export type { Action, Phase, PhaseRule, Policy } from './policy.ts';
