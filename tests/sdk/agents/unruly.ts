/** An agent whose author does everything that one should not: prints to stdout, ignores cancellation, throws, crashes. */
import { once } from 'node:events';
import type { JsonObject } from '@bufbuild/protobuf';
import { AgentFailure, type ServiceContext, serveAgent } from '../../../src/agents/sdk/index.ts';

console.log('a word before the handshake');
process.stdout.write('and one without an end');

await serveAgent({
  name: 'acme/unruly',
  version: '1.0.0',
  createService: (context: ServiceContext<JsonObject>) => ({
    async init() {
      if (context.spec['init'] === 'throws') throw new TypeError('a bug of the author');
      if (context.spec['init'] === 'fails')
        throw new AgentFailure('OUT_OF_PAPER', 'the printer has no paper', {
          retryable: true,
          remedy: 'Add paper.',
        });
    },
    async start({ environment, signal }) {
      console.log('starting');
      const child = await context.supervise({
        command: ['/bin/sh', '-c', 'echo pid $$; exec sleep 65'],
        environment,
      });
      context.ready();
      if (context.spec['start'] === 'crashes') {
        setImmediate(() => {
          throw new Error(`crash beside ${child.pid}`);
        });
      }
      // Never ends by itself, and heeds nothing but its signal.
      if (context.spec['start'] === 'hangs') await once(signal, 'abort');
    },
  }),
});
