/**
 * The cases of this run of the suite: some, drawn from a seed that is printed (`SKEIN_CHAOS_SEED` brings them again), or
 * with `SKEIN_CHAOS=all`, which `npm run chaos` sets, all of them.
 */
import { type Drawn, damages, draw, killings } from './cases.ts';

export function chosen(): Drawn {
  if (process.env['SKEIN_CHAOS'] === 'all') return { killings, damages };
  const written = process.env['SKEIN_CHAOS_SEED'];
  const seed = written === undefined ? Date.now() % 2 ** 32 : Number(written);
  console.log(`chaos: SKEIN_CHAOS_SEED=${seed}`);
  return draw(seed);
}
