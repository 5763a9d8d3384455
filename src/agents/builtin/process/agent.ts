/** The definition of `skein/process`. Its schema is loaded after the start, which it must not slow down. */
import type { AgentDefinition } from '../../sdk/index.ts';
import { version } from '../version.ts';
import { ProcessService } from './service.ts';
import type { ProcessSpec } from './spec.ts';

export const processAgent: AgentDefinition<ProcessSpec> = {
  name: 'skein/process',
  version,
  documentation: [
    'Runs a command as a service or a job.',
    '',
    'A `command` that is text is run by `/bin/sh -c`, one that is a list as it is. `build` runs in Init; `lint`, `compile`',
    'and `test` are commands too. A change of what `watch` names, less what `ignore` leaves out, builds and restarts; with',
    '`hot-reload` the process is kept as long as what it was started with is the same. `runtime-configuration` exposes',
    `values to dependents, in which \`\${self:endpoint}\`, with \`|host\`, \`|port\`, \`|authority\` or \`|url\`, stands for an own`,
    'address.',
  ].join('\n'),
  schema: async () => (await import('./spec.ts')).processSpec,
  createService: (context) => new ProcessService(context),
};
