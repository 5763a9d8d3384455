/** `512 B`, `1.5 kB`, `41 MB`: how an amount of data reads. */
export function bytesText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let amount = bytes;
  let unit = 0;
  for (; amount >= 999.5 && unit < units.length - 1; unit++) amount /= 1_000;
  const digits = unit > 0 && amount < 9.95 ? 1 : 0;
  return `${amount.toFixed(digits)} ${units[unit]}`;
}
