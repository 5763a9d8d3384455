/** Variables of a process, and how the names of those that skein delivers are built (C-15). */
import { type Place, SkeinError } from '../errors/index.ts';

export interface Variable {
  readonly name: string;
  readonly value: string;
  /** To be masked wherever it is shown (C-2). */
  readonly secret: boolean;
}

/** Every carrier begins with it; nobody else's variable may. */
export const carrierPrefix = 'SKEIN__';

/**
 * `SKEIN__` and the parts, joined by `__`: upper case, `-` → `_`, `/` → `__` (C-15).
 * @throws {SkeinError} SK1112 when a part holds what no variable's name can.
 */
export function carrierName(parts: readonly string[], place?: Place): string {
  const unfit = parts.find((part) => !/^[A-Za-z0-9_/-]+$/.test(part));
  if (unfit !== undefined)
    throw new SkeinError(
      'SK1112',
      `${JSON.stringify(unfit)} cannot be part of a variable's name (${parts.join(' · ')})`,
      {
        ...(place && { place }),
      },
    );
  return `${carrierPrefix}${parts.join('__').replaceAll('/', '__').replaceAll('-', '_').toUpperCase()}`;
}
