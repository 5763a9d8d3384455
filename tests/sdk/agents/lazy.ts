/** Two agents of which the second is loaded when it is needed, and says so. */
import { commandAgent, serveAgents } from '../../../src/agents/sdk/index.ts';

await serveAgents([
  commandAgent({ name: 'acme/first', version: '1.0.0', command: () => ['/bin/sleep', '60'] }),
  {
    name: 'acme/second',
    load: async () => {
      console.log('second is loaded');
      return commandAgent({ name: 'acme/second', version: '2.0.0', command: () => ['/bin/sleep', '60'] });
    },
  },
]);
