/**
 * Runs every question, one process each and one after the other, and writes one page, one Markdown file and one JSON file.
 *
 *   npm run bench [-- --smoke] [--only overhead,kill] [--json FILE] [--out FOLDER]
 *
 * A smoke run writes nothing unless told where. A question that fails or hangs is a failed section, and the exit code says so.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Report, Section } from '../src/cli/measure/answer.js';
import { chartsRemedy, openCharts } from '../src/cli/measure/chart.js';
import { describeMachine, machineLine } from '../src/cli/measure/machine.js';
import { asMarkdown } from '../src/cli/measure/markdown.js';
import { asPage } from '../src/cli/measure/page.js';
import { checkout } from './question.js';

/** In the order of the page; a question is a file of this folder. */
const questions: readonly string[] = ['overhead', 'profile', 'smooth', 'kill', 'guards', 'flood', 'start', 'scale', 'plugins'];

/** A question that is still running after this many milliseconds is given up. */
const patience = { full: 300_000, smoke: 150_000 };

const { values } = readArguments();

const report = await run();
await write(report);
summarise(report);
process.exitCode = report.sections.some(({ failure }) => failure !== undefined) ? 1 : 0;

function readArguments(): { values: { smoke: boolean; only?: string; json?: string; out?: string } } {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({ options: { smoke: { type: 'boolean', default: false }, only: text, json: text, out: text } });
  } catch (error) {
    console.error(
      `${(error as Error).message}\nusage: npm run bench [-- --smoke] [--only ${questions.join(',')}] [--json FILE] [--out FOLDER]`,
    );
    process.exit(2);
  }
}

async function run(): Promise<Report> {
  const before = performance.now();
  const machine = describeMachine(checkout);
  console.error(machineLine(machine));
  const folder = mkdtempSync(join(tmpdir(), 'mcp-bulkhead-bench-'));
  try {
    const sections: Section[] = [];
    for (const name of chosen()) sections.push(await answer(name, join(folder, `${name}.json`)));
    const seconds = (performance.now() - before) / 1000;
    return { title: 'What isolation costs', machine, smoke: values.smoke, seconds, sections };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function script(name: string): string {
  return fileURLToPath(new URL(`./${name}.js`, import.meta.url));
}

function chosen(): readonly string[] {
  const wanted = values.only?.split(',');
  for (const name of wanted ?? []) {
    if (!questions.includes(name)) throw new Error(`--only: no question "${name}"; there are ${questions.join(', ')}`);
  }
  return questions.filter((name) => wanted?.includes(name) ?? true);
}

/** One question in one process; never rejects. */
function answer(name: string, file: string): Promise<Section> {
  const started = performance.now();
  const args = ['--expose-gc', '--no-warnings', script(name), '--json', file, ...(values.smoke ? ['--smoke'] : [])];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const limit = values.smoke ? patience.smoke : patience.full;
  const timer = setTimeout(() => child.kill('SIGKILL'), limit);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(failed(name, started, error.message)));
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      if (existsSync(file)) resolve(JSON.parse(readFileSync(file, 'utf8')) as Section);
      else resolve(failed(name, started, `ended with ${signal ?? `code ${code}`} and gave no answer`));
    });
  });
}

function failed(name: string, started: number, failure: string): Section {
  const seconds = (performance.now() - started) / 1000;
  return { name, title: name, seconds, tables: [], charts: [], goals: [], notes: [], failure };
}

async function write(report: Report): Promise<void> {
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  const folder = values.out ?? (values.smoke || values.only !== undefined ? undefined : join(checkout, 'bench'));
  const draw = await openCharts();
  if (draw === undefined) console.error(chartsRemedy);
  // Drawn in any case, so that a smoke run tests the drawing too.
  const page = asPage(report, draw);
  if (folder === undefined) return;
  mkdirSync(join(folder, 'report'), { recursive: true });
  writeFileSync(join(folder, 'report', 'index.html'), page);
  writeFileSync(join(folder, 'report', 'report.json'), `${JSON.stringify(report)}\n`);
  writeFileSync(join(folder, 'RESULTS.md'), asMarkdown(report));
  console.error(`written: ${join(folder, 'RESULTS.md')} and ${join(folder, 'report', 'index.html')}`);
}

function summarise({ sections, seconds, smoke }: Report): void {
  for (const { failure, goals, name, seconds: took } of sections) {
    console.log(`${name}: ${failure === undefined ? 'answered' : `FAILED: ${failure}`} in ${took.toFixed(1)} s`);
    if (smoke) continue;
    for (const { goal, measured, verdict, what } of goals) console.log(`  ${verdict}: ${what}: ${measured} (goal ${goal})`);
  }
  console.log(`${smoke ? 'smoke run' : 'all'} done in ${seconds.toFixed(0)} s`);
}
