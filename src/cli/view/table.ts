/** Columns of text for a person. */

/** Rows as lines, each column as wide as its widest cell; the last one is not padded. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length);
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** `412 ms`, `3.4 s`, `5m 07s`, `2h 03m`. */
export function spell(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}m ${two(Math.floor((ms % 60_000) / 1000))}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

function two(number: number): string {
  return String(number).padStart(2, '0');
}
