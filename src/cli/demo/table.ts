/**
 * The report: one row for every input request, in the order in which they ended; who asked, for what, what each check said,
 * which thread answered, how long it waited and ran, how it ended. What was refused or killed says why, on a row of its own.
 */
import Table from 'cli-table3';
import { type InputRecord, stageNames } from '../../journal.js';
import type { Paint, Terminal } from '../terminal.js';

const headings = ['#', 'server', 'era', 'asked for', 'checks', 'thread', 'queued', 'run', 'total', 'outcome'];
const alignments = ['right', 'left', 'left', 'left', 'left', 'right', 'right', 'right', 'right', 'left'] as const;

/** No borders but a rule under the headings; cells are set apart by two spaces. */
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

export function renderRecords(records: readonly InputRecord[], { paint, columns }: Terminal): string {
  const table = new Table({
    head: headings.map((heading) => paint.bold(heading)),
    colAligns: [...alignments],
    chars,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 2 },
  });
  for (const [index, record] of records.entries()) {
    table.push(row(index + 1, record, paint));
    const reason = reasonOf(record);
    if (reason !== null)
      table.push([{ content: paint.dim(`    ${shorten(reason, columns - 6)}`), colSpan: headings.length, hAlign: 'left' }]);
  }
  const lines = table.toString().split('\n');
  return [legend(paint), '', ...lines.map((line) => line.trimEnd())].join('\n');
}

function legend(paint: Paint): string {
  const marks = `${paint.green('✓')} passed  ${paint.red('✗')} stopped here  ${paint.dim('·')} not reached, or does not apply`;
  return `${paint.dim(`checks, in order: ${stageNames.join(', ')}`)}\n${marks}`;
}

function row(number: number, record: InputRecord, paint: Paint): string[] {
  const { queued, run, total } = record.times;
  return [
    paint.dim(String(number)),
    record.serverId,
    record.era,
    askedFor(record),
    checks(record, paint),
    record.threadId === 0 ? paint.dim('none') : String(record.threadId),
    milliseconds(queued),
    milliseconds(run),
    milliseconds(total),
    outcome(record, paint),
  ];
}

/** The kind, an elicitation's mode, and in the modern era the round: `form r2`. */
export function askedFor({ kind, mode, request }: InputRecord): string {
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
export function reasonOf(record: InputRecord): string | null {
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
