/** An agent that keeps its data outside of what the host gives, and hangs in the deletion while `hang` lies in the workspace. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { serveAgent } from '../../../dist/agent.js';

await serveAgent({
  name: 'test/keeper',
  version: '1.0.0',
  createService: (context) => {
    const elsewhere = join(context.directory, `kept-${context.identity.name}`);
    return {
      async init({ proposedMappings }) {
        mkdirSync(context.dataDirectory, { recursive: true });
        writeFileSync(join(context.dataDirectory, 'note'), elsewhere);
        writeFileSync(elsewhere, 'data');
        return { mappings: proposedMappings, configurations: [] };
      },
      async start({ environment }) {
        await context.supervise({ command: ['sleep', '600'], environment });
      },
      async destroy({ deleteData }) {
        if (!deleteData) return;
        rmSync(elsewhere, { force: true });
        if (existsSync(join(context.directory, 'hang')))
          await new Promise(() => setInterval(() => {}, 1_000));
      },
    };
  },
});
