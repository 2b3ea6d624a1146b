/**
 * `mcp-bulkhead bench`: what isolation costs for one's own callback. Prints a table, and writes JSON and a page with charts
 * into a folder.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import Table from 'cli-table3';
import { type Command, InvalidArgumentError } from 'commander';
import { type Tier, tiers } from '../options.js';
import type { Answer, Table as AnswerTable, Report } from './measure/answer.js';
import { chartsRemedy, openCharts } from './measure/chart.js';
import { measureHandler } from './measure/handler.js';
import { describeMachine, machineLine } from './measure/machine.js';
import { asPage } from './measure/page.js';
import { openProgress } from './measure/progress.js';
import { readRequest } from './measure/request.js';
import { cell } from './measure/spelling.js';
import type { Terminal } from './terminal.js';

interface Options {
  readonly handler: string;
  readonly request?: string;
  readonly tiers: readonly Tier[];
  readonly seconds: number;
  /** False with `--no-out`. */
  readonly out: string | false;
}

export function register(command: Command, terminal: Terminal): void {
  command
    .description('measure your own callback inline and in each tier: warm, cold, and after a kill')
    .requiredOption('--handler <file>', 'the handler module')
    .option('--request <file>', 'JSON with "method" and "params"; default: a usual request for each callback')
    .option('--tiers <list>', 'which tiers, separated by commas; the first is the baseline', parseTiers, tiers)
    .option('--seconds <number>', 'roughly how long to measure each callback', parseSeconds, 10)
    .option('--out <folder>', 'where report.json and index.html go', 'bulkhead-bench')
    .option('--no-out', 'write no files')
    .action((options: Options) => bench(options, terminal));
}

function parseTiers(text: string): readonly Tier[] {
  const chosen = text.split(',') as Tier[];
  const unknown = chosen.find((tier) => !tiers.includes(tier));
  if (unknown !== undefined) throw new InvalidArgumentError(`There are ${tiers.join(', ')}.`);
  return chosen;
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 3600)) throw new InvalidArgumentError('A number above 0, at most 3600.');
  return seconds;
}

async function bench({ handler, out, request, seconds, tiers: chosen }: Options, terminal: Terminal): Promise<void> {
  const before = performance.now();
  const machine = describeMachine();
  terminal.print(machineLine(machine));
  const progress = openProgress();
  const raw = request === undefined ? undefined : await readRequest(request);
  let answer: Answer;
  try {
    answer = await measureHandler({ handler: resolve(handler), tiers: chosen, seconds, progress, ...(raw && { request: raw }) });
  } finally {
    progress('');
  }
  for (const table of answer.tables) printTable(table, terminal);
  for (const note of answer.notes) terminal.print(terminal.paint.yellow(note));
  const took = (performance.now() - before) / 1000;
  const title = `What isolation costs: ${handler}`;
  const section = { ...answer, name: 'handler', title: 'Your callback in each tier', seconds: took };
  if (out !== false) await write(out, { title, machine, smoke: false, seconds: took, sections: [section] }, terminal);
}

function printTable({ columns, note, rows, title }: AnswerTable, terminal: Terminal): void {
  const table = new Table({
    head: [...columns],
    style: { head: [], border: [] },
    colAligns: columns.map((_, at) => (at === 0 ? 'left' : 'right')),
  });
  for (const row of rows) table.push(row.map(cell));
  terminal.print(`\n${terminal.paint.bold(title)}\n${table.toString()}`);
  if (note !== undefined) terminal.print(terminal.paint.dim(note));
}

async function write(folder: string, report: Report, terminal: Terminal): Promise<void> {
  await mkdir(folder, { recursive: true });
  const draw = await openCharts();
  if (draw === undefined) terminal.warn(chartsRemedy);
  await writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  await writeFile(join(folder, 'index.html'), asPage(report, draw));
  terminal.print(`\nwrote ${join(folder, 'report.json')} and ${join(folder, 'index.html')}`);
}
