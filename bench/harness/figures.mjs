// How a figure is written: the same everywhere, so that tables can be compared.

const NONE = '–';

/** 1234.5 → "1,235" */
export function count(value) {
  return Math.round(value).toLocaleString('en-US');
}

export function ms(value) {
  return `${count(value)} ms`;
}

/** At most three digits that say something. */
export function rounded(value, digits = 0) {
  return digits === 0 ? count(value) : value.toFixed(digits);
}

/** "712 (690–741)", or a single figure when there was one round or no difference. */
export function range(summary, digits) {
  if (!summary) return NONE;
  const [middle, least, most] = [summary.median, summary.min, summary.max].map((value) =>
    rounded(value, digits),
  );
  return least === most ? middle : `${middle} (${least}–${most})`;
}

/** "1.08 (1.05–1.11) ×" */
export function ratioText(summary) {
  return summary ? `${range(summary, 2)} ×` : NONE;
}

export function percent(value) {
  return value === undefined ? NONE : `${value.toFixed(2)} %`;
}
