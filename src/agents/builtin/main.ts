/**
 * The program behind every built-in agent: its first argument names which one it serves. Each is loaded only when it is
 * the one, so that no agent pays for another at its start.
 */
import { SkeinError } from '../../errors/index.ts';
import { serveAgent } from '../sdk/index.ts';

const agents: Readonly<Record<string, () => Promise<void>>> = {
  process: async () => serveAgent((await import('./process/index.ts')).processAgent),
  postgres: async () => serveAgent((await import('./postgres/index.ts')).postgresAgent),
};

const name = process.argv[2] ?? '';
const chosen = Object.hasOwn(agents, name) ? agents[name] : undefined;
if (chosen === undefined) {
  const error = new SkeinError(
    'SK1704',
    `there is no built-in agent \`${name}\`: there are ${Object.keys(agents).join(', ')}`,
  );
  process.stderr.write(`${error.code}: ${error.message}\n`);
  process.exitCode = 2;
} else {
  await chosen();
}
