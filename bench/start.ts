/**
 * What does it cost to begin? Import time and size of each entry point, the way from nothing to a first answer in each tier,
 * and the memory of each idle worker.
 */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { Piscina } from 'piscina';
import type { BarChart, Cell, Table } from '../src/cli/measure/answer.js';
import { compare, type Subject } from '../src/cli/measure/compare.js';
import { comparedChart, comparedTable } from '../src/cli/measure/compared.js';
import { bytes } from '../src/cli/measure/spelling.js';
import { median } from '../src/cli/measure/statistics.js';
import { settingsFor } from '../src/cli/measure/tiers.js';
import { createIsolation } from '../src/isolation/create.js';
import { type Tier, tiers } from '../src/options.js';
import { ask, checkout, type Plan } from './question.js';
import { basis } from './subjects/baselines.js';
import { answerFor, payloadOf } from './subjects/payload.js';
import { importOf, printedBy } from './subjects/spawned.js';
import { callback, nameOf, ours, outside, said, taskOf } from './subjects/tiers.js';

const entries = ['mcp-bulkhead', 'mcp-bulkhead/handler', 'mcp-bulkhead/testing', 'mcp-bulkhead/bucket'];
/** For scale: what a host has loaded anyway. */
const references = ['node:path', '@modelcontextprotocol/client', 'piscina'];

await ask({
  name: 'start',
  title: 'What it costs to begin',
  async answer(plan) {
    const imports = await measureImports(plan);
    const first = await measureFirstAnswers(plan);
    const workers = await measureWorkers(plan);
    return {
      tables: [imports, comparedTable(first, 'From nothing to a first answer'), workers],
      charts: [comparedChart(first, ours, 'From nothing to a first answer'), memoryChart(workers)],
      goals: [],
      notes: [],
    };
  },
});

// ---- entry points -----------------------------------------------------------------------------------------------------

async function measureImports(plan: Plan): Promise<Table> {
  const names = [...references, ...entries];
  const times = new Map<string, number[]>(names.map((name) => [name, []]));
  const memories = new Map<string, number[]>(names.map((name) => [name, []]));
  for (let round = 0; round < plan.pick(7, 1); round++) {
    for (const name of names) {
      plan.progress(`start: import of ${name}, round ${round + 1}`);
      const { time, memory } = await importOf(name);
      times.get(name)?.push(time);
      memories.get(name)?.push(memory);
    }
  }
  const rows: Cell[][] = [];
  for (const name of names) {
    const memory = bytes(median(memories.get(name) ?? []));
    rows.push([name, median(times.get(name) ?? []), memory, ...(await sizesOf(name))]);
  }
  return {
    title: 'Entry points',
    columns: ['import', 'ms (median)', 'resident memory', 'size, minified', 'of which own'],
    rows,
    note: 'Each import in a fresh process, interleaved; sizes as one minified bundle with everything it needs (optional peers left out).',
  };
}

async function sizesOf(name: string): Promise<[Cell, Cell]> {
  if (name.startsWith('node:')) return [null, null];
  const built = await build({
    stdin: { contents: `export * from ${JSON.stringify(name)}`, resolveDir: checkout },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'silent',
    external: ['esbuild', 'echarts', '@napi-rs/nice'],
  });
  const [output] = Object.values(built.metafile.outputs);
  const parts = Object.entries(output?.inputs ?? {}).filter(([path]) => path.startsWith('dist/'));
  const own = parts.reduce((sum, [, { bytesInOutput }]) => sum + bytesInOutput, 0);
  return [bytes(output?.bytes ?? 0), name.startsWith('mcp-bulkhead') ? bytes(own) : null];
}

// ---- a first answer ---------------------------------------------------------------------------------------------------

function measureFirstAnswers(plan: Plan): ReturnType<typeof compare> {
  const check = answerFor(1024);
  const cases: [string, () => Promise<unknown>][] = [
    [basis, firstOfPool],
    ...tiers.map((tier): [string, () => Promise<unknown>] => [nameOf(tier), () => firstOf(tier)]),
  ];
  return compare({
    name: 'from nothing to a first answer',
    baseline: basis,
    cases: cases.map(([name, call]) => ({ name, open: (): Subject => ({ call }), check })),
    rounds: plan.pick(15, 1),
    samples: 1,
    warmup: plan.pick(1, 0),
    progress: plan.progress,
  });
}

async function firstOfPool(): Promise<unknown> {
  const filename = fileURLToPath(new URL('./subjects/threaded.js', import.meta.url));
  const pool = new Piscina({ filename, minThreads: 1, maxThreads: 1, atomics: 'disabled' });
  const answer = await pool.run(taskOf(payloadOf(1024)));
  void pool.destroy();
  return answer;
}

async function firstOf(tier: Tier): Promise<unknown> {
  const room = await createIsolation(await settingsFor(tier, callback));
  const outcome = await room.run(taskOf(payloadOf(1024))).outcome;
  void room.close('kill');
  return said(outcome);
}

// ---- idle workers -----------------------------------------------------------------------------------------------------

async function measureWorkers(plan: Plan): Promise<Table> {
  const few = 1;
  const many = plan.pick(7, 2);
  const rows: Cell[][] = [];
  for (const name of [basis, ...outside]) {
    const each: number[] = [];
    for (let round = 0; round < plan.pick(3, 1); round++) {
      plan.progress(`start: memory of idle workers, ${name}`);
      each.push(((await residentOf(name, many)) - (await residentOf(name, few))) / (many - few));
    }
    rows.push([name === basis ? basis : nameOf(name as Tier), median(each) / 2 ** 20]);
  }
  return {
    title: 'Memory of one idle worker',
    columns: ['', 'MiB'],
    rows,
    note: `Resident memory of a fresh process with ${many} idle workers less that with ${few}, divided; child processes by their proportional share.`,
  };
}

async function residentOf(name: string, workers: number): Promise<number> {
  const { children, resident } = (await printedBy('footprint', name, String(workers))) as { resident: number; children: number };
  return resident + children;
}

function memoryChart({ rows, title }: Table): BarChart {
  const bars = rows.map(([name, value]) => ({ name: String(name), value: Number(value), ours: ours(String(name)) }));
  return { type: 'bars', title, unit: 'MiB', scale: 'linear', bars };
}
