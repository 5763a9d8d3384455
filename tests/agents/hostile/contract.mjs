#!/usr/bin/env node
// Contracts that are refused: `missing`, `zero`, `two`; `nameless` has a good one and no name.
import { serve, variant } from './speak.mjs';

const contracts = {
  missing: undefined,
  zero: { protocol: 0 },
  two: { protocol: 2 },
  nameless: { protocol: 1 },
};
await serve({
  methods: {
    getAgentInformation: () => ({
      contract: contracts[variant],
      name: variant === 'nameless' ? '' : 'test/agent',
      version: '1.0.0',
    }),
  },
});
