/**
 * The program behind every built-in agent: its first argument names which one it serves. Each is loaded only when it is
 * the one, so that no agent pays for another at its start.
 */
import { SkeinError } from '../../errors/index.ts';
import { type AgentDefinition, serveAgent } from '../sdk/index.ts';

/** What a built-in agent is made of, once its code is loaded; which kind of `spec` it reads is its own affair. */
type Serve = () => Promise<void>;

const agents: Readonly<Record<string, Serve>> = {
  process: async () => serve((await import('./process/index.ts')).processAgent),
  postgres: async () => serve((await import('./postgres/index.ts')).postgresAgent),
};

function serve<Spec>(definition: AgentDefinition<Spec>): Promise<void> {
  return serveAgent(definition);
}

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
