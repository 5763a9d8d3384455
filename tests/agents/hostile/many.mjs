#!/usr/bin/env node
// Several agents in one process, whatever their names; `liar` is test/one to whoever asks, `silent` does not say that it
// is several. Load answers with the agent that it was for, and of `shop/crash` it dies.
import { done, serve, variant } from './speak.mjs';

const abilities = ['runtime/v1', 'watch/v1', 'logs/v1', 'multi-service/v1'];

await serve({
  methods: {
    getAgentInformation: ({ agent }) => ({
      contract: {
        protocol: 1,
        capabilities: variant === 'silent' ? abilities : [...abilities, 'multi-agent/v1'],
      },
      name: variant === 'liar' ? 'test/one' : agent,
      version: '1.0.0',
      documentation: `about ${agent}`,
    }),
    load: ({ agent, instance }) => {
      if (instance === 'shop/crash') process.exit(70);
      return { status: { ...done, message: agent } };
    },
  },
});
