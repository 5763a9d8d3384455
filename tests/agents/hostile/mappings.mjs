#!/usr/bin/env node
// Answers Init with mappings that break the acceptance rules, by variant.
import { done, serve, variant } from './speak.mjs';

const native = (host, port) => ({ access: 1, host, port });
const variants = {
  echoed: (proposed) => proposed,
  empty: () => [],
  'unknown-endpoint': () => [{ endpoint: 'nobody', instances: [native('127.0.0.1', 4000)] }],
  unnamed: (proposed) => proposed.map(({ instances }) => ({ endpoint: '', instances })),
  twice: (proposed) => [...proposed, ...proposed],
  'no-instances': (proposed) => proposed.map(({ endpoint }) => ({ endpoint, instances: [] })),
  'other-host': (proposed) =>
    proposed.map(({ endpoint }) => ({ endpoint, instances: [native('198.51.100.7', 4000)] })),
  'port-zero': (proposed) =>
    proposed.map(({ endpoint }) => ({ endpoint, instances: [native('127.0.0.1', 0)] })),
  'port-too-high': (proposed) =>
    proposed.map(({ endpoint }) => ({ endpoint, instances: [native('127.0.0.1', 70_000)] })),
  'no-access': (proposed) =>
    proposed.map(({ endpoint }) => ({ endpoint, instances: [{ host: '127.0.0.1', port: 4000 }] })),
  'added-access': (proposed) =>
    proposed.map(({ endpoint, instances }) => ({
      endpoint,
      instances: [...instances, { access: 3, host: '127.0.0.1', port: 4000 }],
    })),
  'same-port': (proposed) =>
    proposed.map(({ endpoint }) => ({ endpoint, instances: [native('127.0.0.1', 4000)] })),
};
await serve({
  methods: {
    init: (request) => ({
      status: done,
      networkMappings: variants[variant](request.proposedNetworkMappings),
    }),
  },
});
