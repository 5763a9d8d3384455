// Medians and ratios. A figure is a median with its range; a ratio is taken inside a round and then summarised, so that
// a busy minute slows both sides of it.

/** @param {readonly number[]} values @returns {number} NaN when there is none. */
function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** @param {readonly number[]} values @returns {{ median: number, min: number, max: number, count: number }} */
function summarise(values) {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values), count: values.length };
}

/**
 * The summary of a/b over the rounds in which both were measured.
 * @param {ReadonlyMap<number, number>} a by round
 * @param {ReadonlyMap<number, number>} b by round
 * @returns {ReturnType<typeof summarise> | undefined} undefined when no round has both.
 */
function ratio(a, b) {
  const ratios = [...a].filter(([round]) => b.has(round)).map(([round, value]) => value / b.get(round));
  return ratios.length === 0 ? undefined : summarise(ratios);
}

/** `items` begun at another place in each round, so that none is always measured first. */
export function rotated(items, round) {
  const start = items.length === 0 ? 0 : round % items.length;
  return [...items.slice(start), ...items.slice(0, start)];
}

/** Figures by what was measured and by round. */
export class Samples {
  #byKey = new Map();

  add(key, round, value) {
    if (!this.#byKey.has(key)) this.#byKey.set(key, new Map());
    this.#byKey.get(key).set(round, value);
  }

  /** @returns {ReadonlyMap<number, number>} by round; empty when never measured. */
  of(key) {
    return this.#byKey.get(key) ?? new Map();
  }

  /** @returns {ReturnType<typeof summarise> | undefined} */
  summary(key) {
    const values = [...this.of(key).values()];
    return values.length === 0 ? undefined : summarise(values);
  }

  ratio(key, base) {
    return ratio(this.of(key), this.of(base));
  }
}
