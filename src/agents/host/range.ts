/** Version ranges of agent references: `1`, `1.2`, `1.2.3`, `^1.2`, `~1.2.3`, `>=1.2`, `latest` (https://semver.org, § 11). */

interface Version {
  readonly numbers: readonly [number, number, number];
  /** Identifiers after `-`; empty for a release. */
  readonly prerelease: readonly string[];
}

/**
 * Whether `version` lies in `range`; `undefined` where the range cannot be read. A version that is no semver is in a
 * range only when it is written the same. A prerelease is in a range only when the range names that very version.
 */
export function satisfies(version: string, range: string): boolean | undefined {
  if (range === version || range === 'latest' || range === '*') return true;
  const match = /^(\^|~|>=|=)?v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:\.[x*])*$/.exec(range);
  if (match === null) return parseVersion(range) === undefined ? undefined : false;
  const parsed = parseVersion(version);
  if (parsed === undefined || parsed.prerelease.length > 0) return false;
  const written = match
    .slice(2, 5)
    .filter((part) => part !== undefined)
    .map(Number);
  const low = [written[0] ?? 0, written[1] ?? 0, written[2] ?? 0] as const;
  if (compare(parsed.numbers, low) < 0) return false;
  if (match[1] === '>=') return true;
  return parsed.numbers.slice(0, fixedParts(match[1], written)).every((part, index) => part === low[index]);
}

/** How many leading numbers the range holds still. */
function fixedParts(operator: string | undefined, written: readonly number[]): number {
  if (operator === '^') {
    const firstNonZero = written.findIndex((part) => part !== 0);
    return firstNonZero === -1 ? written.length : firstNonZero + 1;
  }
  return operator === '~' ? Math.min(2, written.length) : written.length;
}

function parseVersion(text: string): Version | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(text);
  if (match === null) return undefined;
  return {
    numbers: [Number(match[1]), Number(match[2]), Number(match[3])],
    prerelease: match[4]?.split('.') ?? [],
  };
}

function compare(a: readonly number[], b: readonly number[]): number {
  const differing = a.findIndex((part, index) => part !== b[index]);
  return differing === -1 ? 0 : (a[differing] ?? 0) - (b[differing] ?? 0);
}
