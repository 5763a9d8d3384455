/** The example of the SDK's documentation: an agent that runs a command, in a dozen lines. */
import { z } from 'zod';
import { commandAgent, requireAddress, serveAgent } from '../../../src/agents/sdk/index.ts';

await serveAgent(
  commandAgent({
    name: 'acme/files',
    version: '1.0.0',
    schema: z.strictObject({ folder: z.string() }),
    command: ({ folder }, { mappings }) => [
      process.execPath,
      '-e',
      'console.log("serving", ...process.argv.slice(1)); setInterval(() => {}, 1000)',
      folder,
      String(requireAddress(mappings, 'http').port),
    ],
  }),
);
