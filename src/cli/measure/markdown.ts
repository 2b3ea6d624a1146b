/** A report as Markdown: goals first, then every section's tables and sentences. */
import type { Goal, Report, Section, Table } from './answer.js';
import { machineLine } from './machine.js';
import { cell } from './spelling.js';

export function asMarkdown(report: Report): string {
  const goals = report.sections.flatMap((section) => section.goals);
  return [
    `# ${report.title}`,
    `${machineLine(report.machine)}; took ${Math.round(report.seconds)} s.`,
    ...(report.smoke ? ['**A smoke run: it shows that everything runs, its figures mean nothing.**'] : []),
    ...(goals.length === 0 ? [] : ['## Goals', goalsTable(goals)]),
    ...report.sections.flatMap(section),
    '',
  ].join('\n\n');
}

function goalsTable(goals: readonly Goal[]): string {
  const rows = goals.map(({ goal, measured, note, verdict, what }) => [
    what,
    goal,
    measured,
    verdict === 'open' ? 'open (inside the noise)' : verdict,
    note ?? '',
  ]);
  return grid(['what', 'goal', 'measured', 'verdict', 'note'], rows);
}

function section({ failure, name, notes, tables, title }: Section): string[] {
  return [
    `## ${name}: ${title}`,
    ...(failure === undefined ? [] : [`**Failed:** ${escaped(failure)}`]),
    ...tables.map(table),
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join('\n')]),
  ];
}

function table({ columns, note, rows, title }: Table): string {
  const text = grid(
    columns,
    rows.map((row) => row.map(cell)),
  );
  return `### ${title}\n\n${text}${note === undefined ? '' : `\n\n${note}`}`;
}

function grid(columns: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)].join('\n');
}

const escaped = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
