/** `skein clear`: takes away what dead runs have left on disk; with `--data` also what services keep (T-10). */
import { SkeinError } from '../../errors/index.ts';
import { type ExitStatus, exitStatus } from '../exit-status.ts';
import { type ClearOptions, clearLeft, listText } from './clear-left.ts';
import { print } from './live-run.ts';

/**
 * Without `--data` it needs no workspace.
 * @throws {SkeinError} SK1553 for services without `--data`; as `clearLeft` and `clearData` do
 */
export async function clear(services: readonly string[], options: ClearOptions): Promise<ExitStatus> {
  if (options.data) return (await import('./clear-data.ts')).clearData(services, options);
  if (services.length > 0)
    throw new SkeinError('SK1553', 'missing option: services are named whose kept data goes, with `--data`');
  const { document, paths } = await clearLeft(options);
  print(options, document, listText(options, paths));
  return exitStatus.done;
}
