/** An agent that runs a command and starts it anew when its sources have changed, unless that reloads itself. */
import { z } from 'zod';
import { commandAgent, serveAgent } from '../../../src/agents/sdk/index.ts';

await serveAgent(
  commandAgent({
    name: 'acme/watching',
    version: '1.0.0',
    schema: z.strictObject({ sources: z.array(z.string()), reloads: z.boolean() }),
    command: () => ['/bin/sleep', '60'],
    watch: ({ sources }) => ({ paths: sources }),
    hotReload: ({ reloads }) => reloads,
  }),
);
