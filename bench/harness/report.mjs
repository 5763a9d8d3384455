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

/**
 * What `previous`, the text of an earlier report, has of other suites is kept.
 * @param {{ title: string, result: object }[]} sections @param {string[]} machine one fact a line
 */
export function markdown(sections, machine, previous = '') {
  const titles = new Set(['Targets', ...sections.map(({ title }) => title)]);
  const kept = sectionsOf(previous).filter(({ title }) => !titles.has(title));
  const parts = [
    '# Results of `npm run bench`',
    'Written by the command; absolute figures belong to this machine, ratios carry. A figure is the median of its rounds (least–most).',
    machine.map((fact) => `- ${fact}`).join('\n'),
    '## Targets',
    markdownTable(targetTable(sections)),
    ...sections.flatMap(sectionParts),
    ...kept.map(({ text }) => text),
  ];
  return `${parts.join('\n\n')}\n`;
}

/**
 * `report`, the text of an earlier one, with this section in the place of that of its title, or at its end. It has its own
 * targets and machine, for the rest is of another time.
 */
export function withSection(report, section, machine) {
  const targets = section.result.targets.length > 0 ? [markdownTable(targetTable([section]))] : [];
  const text = [...sectionParts(section), ...targets, machine.map((fact) => `- ${fact}`).join('\n')].join(
    '\n\n',
  );
  const [head = ''] = report.split(/^## /m, 1);
  const texts = sectionsOf(report).map((one) => (one.title === section.title ? text : one.text));
  const parts = [head.trim(), ...texts, ...(texts.includes(text) ? [] : [text])];
  return `${parts.join('\n\n')}\n`;
}

/** The sections of a report, each from its title to the next. */
function sectionsOf(report) {
  return report
    .split(/^(?=## )/m)
    .filter((text) => text.startsWith('## '))
    .map((text) => ({ title: /^## (.*)/.exec(text)[1], text: text.trim() }));
}

function sectionParts({ title, result }) {
  return [
    `## ${title}`,
    ...result.tables.flatMap((table) => [...(table.caption ? [table.caption] : []), markdownTable(table)]),
    ...(result.notes.length > 0 ? [result.notes.map((note) => `- ${oneLine(note)}`).join('\n')] : []),
  ];
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
