// What a run of the benchmarks says: the same tables for the terminal and for RESULTS.md.
import { rounded } from './figures.mjs';

/**
 * A target: { what, value: number | undefined, most: number, unit }; met when `value` is at most `most`, and unknown
 * when it was not measured.
 */
function verdict({ value, most }) {
  if (value === undefined || Number.isNaN(value)) return 'not measured';
  return value <= most ? 'met' : 'NOT met';
}

/** @param {{ title: string, result: object }[]} sections @param {string[]} machine one fact a line */
export function markdown(sections, machine) {
  const parts = [
    '# Results of `npm run bench`',
    'Written by the command; absolute figures belong to this machine, ratios carry. A figure is the median of its rounds (least–most).',
    machine.map((fact) => `- ${fact}`).join('\n'),
    '## Targets',
    markdownTable(targetTable(sections)),
    ...sections.flatMap(({ title, result }) => [
      `## ${title}`,
      ...result.tables.flatMap((table) => [...(table.caption ? [table.caption] : []), markdownTable(table)]),
      ...(result.notes.length > 0 ? [result.notes.map((note) => `- ${oneLine(note)}`).join('\n')] : []),
    ]),
  ];
  return `${parts.join('\n\n')}\n`;
}

export function terminal(title, result) {
  return [
    `\n${title}`,
    ...result.tables.flatMap((table) => [
      ...(table.caption ? [`\n${table.caption}`] : []),
      terminalTable(table),
    ]),
    ...result.notes.map((note) => `note: ${note}`),
    ...(result.targets.length > 0 ? ['', terminalTable(targetTable([{ result }]))] : []),
  ].join('\n');
}

function targetTable(sections) {
  return {
    columns: ['target', 'at most', 'measured', ''],
    rows: sections.flatMap(({ result }) =>
      result.targets.map((target) => [
        target.what,
        `${target.most}${target.unit}`,
        target.value === undefined ? '–' : `${rounded(target.value, 2)}${target.unit}`,
        verdict(target),
      ]),
    ),
  };
}

function markdownTable({ columns, rows }) {
  const line = (cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    line(columns),
    line(columns.map((_, index) => (index === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n');
}

function terminalTable({ columns, rows }) {
  const widths = columns.map((_, index) =>
    Math.max(...[columns, ...rows].map((cells) => cells[index].length)),
  );
  const pad = (cell, index) => (index === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[index]));
  return [columns, ...rows].map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n');
}

function oneLine(text) {
  return text.replace(/\s*\n\s*/g, ' / ');
}
