/**
 * The report: one row for every input request, in the order in which they ended; who asked, for what, what each check said,
 * which thread answered, how long it waited and ran, how it ended. What was refused or killed says why, on a row of its own.
 */
import Table from 'cli-table3';
import { type InputRecord, stageNames } from '../../journal.js';
import type { Paint, Terminal } from '../terminal.js';

interface Column {
  readonly heading: string;
  readonly align: 'left' | 'right';
  cell(record: InputRecord, paint: Paint, number: number): string;
  /** Left out where the terminal is narrow. */
  readonly spare?: true;
}

const allColumns: readonly Column[] = [
  { heading: '#', align: 'right', cell: (_record, paint, number) => paint.dim(String(number)) },
  { heading: 'server', align: 'left', cell: (record) => record.serverId },
  { heading: 'era', align: 'left', cell: (record) => record.era },
  { heading: 'asked for', align: 'left', cell: askedFor },
  { heading: 'checks', align: 'left', cell: checks },
  { heading: 'thread', align: 'right', cell: ({ threadId }, paint) => (threadId === 0 ? paint.dim('none') : String(threadId)) },
  { heading: 'queued', align: 'right', cell: ({ times }) => milliseconds(times.queued), spare: true },
  { heading: 'run', align: 'right', cell: ({ times }) => milliseconds(times.run), spare: true },
  { heading: 'total', align: 'right', cell: ({ times }) => milliseconds(times.total) },
  { heading: 'outcome', align: 'left', cell: outcome },
];

/** The width at which every column has room. */
const roomy = 98;

/** No borders: cells are set apart by two spaces. */
const chars: Record<string, string> = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '',
};

export function renderRecords(records: readonly InputRecord[], { paint, columns: width }: Terminal): string {
  const columns = allColumns.filter(({ spare }) => spare === undefined || width >= roomy);
  const table = new Table({
    head: columns.map(({ heading }) => paint.bold(heading)),
    colAligns: columns.map(({ align }) => align),
    chars,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const [index, record] of records.entries()) {
    table.push(columns.map(({ cell }) => cell(record, paint, index + 1)));
    const reason = reasonOf(record);
    if (reason !== null)
      table.push([{ content: paint.dim(`    ${shorten(reason, width - 6)}`), colSpan: columns.length, hAlign: 'left' }]);
  }
  const lines = table.toString().split('\n');
  return [legend(paint), '', ...lines.map((line) => line.trimEnd())].join('\n');
}

function legend(paint: Paint): string {
  const marks = `${paint.green('✓')} passed  ${paint.red('✗')} stopped here  ${paint.dim('·')} not reached, or does not apply`;
  return `${paint.dim(`checks, in order: ${stageNames.join(', ')}`)}\n${marks}`;
}

/** The kind, an elicitation's mode, and in the modern era the round: `form, round 2`. */
function askedFor({ kind, mode, request }: InputRecord): string {
  const what = kind === 'elicitation' ? (mode ?? 'elicitation') : kind;
  return request === undefined ? what : `${what}, round ${request.round}`;
}

function checks({ stages }: InputRecord, paint: Paint): string {
  const mark = (said: string) => (said === 'pass' ? paint.green('✓') : said === 'skipped' ? paint.dim('·') : paint.red('✗'));
  return stageNames.map((name) => mark(stages[name])).join('');
}

function outcome({ outcome: name }: InputRecord, paint: Paint): string {
  if (name === 'answered') return paint.green(name);
  return name === 'refused' ? paint.yellow(name) : paint.red(name);
}

/** Which check stopped it and why; null for what was answered. */
function reasonOf(record: InputRecord): string | null {
  if (record.outcome === 'answered') return null;
  const stopped = stageNames.find((name) => record.stages[name] !== 'pass' && record.stages[name] !== 'skipped');
  const said = stopped === undefined ? undefined : record.stages[stopped];
  const why = record.reason ?? (said === 'timeout' ? 'killed at its deadline' : (said ?? record.outcome));
  return `${stopped ?? record.outcome}: ${why}${record.code === undefined ? '' : ` (code ${record.code})`}`;
}

function shorten(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** Three significant figures are enough for a person: `0.4 ms`, `12 ms`, `1003 ms`. */
export function milliseconds(value: number): string {
  return `${value < 9.95 ? value.toFixed(1) : Math.round(value)} ms`;
}
