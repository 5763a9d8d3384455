// The floor of the machine: programs/limit.c.
import { saidReady, writeLimitPlan } from './limit-plan.mjs';

export const limitC = {
  name: 'limit-c',
  title: 'C launcher with perfect knowledge',
  peer: false,
  prepare: (chain) => ({
    command: [chain.tools.limit, writeLimitPlan(chain)],
    stdio: ['ignore', 'pipe', 'pipe'],
    ready: saidReady,
  }),
};
