/** The version of the built-in agents, which is that of the package that they come in. */
import { existsSync, readFileSync } from 'node:fs';

/** Put in by the build (`scripts/build.mjs`); not there where the sources run as they are. */
declare const SKEIN_VERSION: string | undefined;

/** Semantic version, as `package.json` has it. */
export const version: string = typeof SKEIN_VERSION === 'string' ? SKEIN_VERSION : packageVersion();

/** Of the nearest package.json above that is skein's. */
function packageVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const file = new URL('package.json', folder);
    if (existsSync(file)) {
      const found = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown; version: string };
      if (found.name === 'skein') return found.version;
    }
    if (folder.pathname === '/') throw new Error('the built-in agents are not inside the package of skein');
  }
}
