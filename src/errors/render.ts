/** How an error reads to a person: what, where, why, what next; the same shape in every command. */
import {
  type ErrorTable,
  type FilePlace,
  faultsOf,
  isFilePlace,
  type Place,
  type SkeinError,
} from './error.ts';

/** Lines for stderr, without colour. `tables` supply the remedy of a code whose error brings none of its own. */
export function renderError(error: SkeinError, tables: readonly ErrorTable[] = []): string {
  return faultsOf(error)
    .map((fault) => renderFault(fault, tables))
    .join('\n\n');
}

function renderFault(fault: SkeinError, tables: readonly ErrorTable[]): string {
  const lines = [`error ${fault.code}: ${fault.message}`];
  if (fault.place) lines.push(...renderPlace(fault.place));
  for (let cause = fault.cause; cause instanceof Error; cause = cause.cause)
    lines.push(`  because: ${cause.message}`);
  if (fault.lastLines.length > 0)
    lines.push('  last lines:', ...fault.lastLines.map((line) => `    | ${line}`));
  const remedy =
    fault.remedy ?? tables.map((table) => table[fault.code]?.remedy).find((text) => text !== undefined);
  if (remedy !== undefined) lines.push(`  to do: ${remedy}`);
  return lines.join('\n');
}

function renderPlace(place: Place): string[] {
  if (!isFilePlace(place)) {
    const parts = [place.service, place.phase, place.endpoint].filter((part) => part !== undefined);
    return [`  at: ${parts.join(' · ')}`];
  }
  return [`  at: ${formatPlace(place)}`, ...renderSource(place)];
}

/** `file:line:column`, which terminals and editors make a link of. */
export function formatPlace(place: FilePlace): string {
  return `${place.file}:${place.line}:${place.column}`;
}

function renderSource(place: FilePlace): string[] {
  if (place.source === undefined) return [];
  const gutter = String(place.line);
  // Very long lines are cut around the fault so that the caret stays in view.
  const start = Math.max(0, place.column - 80);
  const shown = place.source.slice(start, start + 160);
  const caret = ' '.repeat(Math.max(0, place.column - 1 - start));
  return [`  ${gutter} | ${shown}`, `  ${' '.repeat(gutter.length)} | ${caret}^`];
}
