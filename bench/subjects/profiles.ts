/**
 * A processor profile of both threads of a call, ours beside the pools that carry the same callback: the answer to why one is faster.
 */
import { Piscina } from 'piscina';
import workerpool from 'workerpool';
import type { Answer, BarChart, Cell, Table } from '../../src/cli/measure/answer.js';
import type { Subject } from '../../src/cli/measure/compare.js';
import { number } from '../../src/cli/measure/spelling.js';
import { median } from '../../src/cli/measure/statistics.js';
import type { Plan } from '../question.js';
import { basis } from './baselines.js';
import { answerFor, context, payloadOf } from './payload.js';
import { begin, end } from './profiled.js';
import { type Area, areas, openProfiler, type Profile } from './profiler.js';
import { nameOf, openRunning, taskOf } from './tiers.js';

/** Tables, a chart and the reason in words. */
export async function profileCalls(plan: Plan): Promise<Omit<Answer, 'goals'>> {
  const profiled = await profileAll(plan);
  return { tables: [profileTable(profiled)], charts: [profileChart(profiled)], notes: [profileNote(profiled)] };
}

interface Profiled {
  readonly name: string;
  /** Microseconds a call. */
  readonly main: Profile;
  readonly thread: Profile;
}

/** So that the profile is ended where it was begun. */
const oneThread = { min: 1, max: 1, spares: 0 };

type Carry = (params: unknown) => Promise<unknown>;

const file = (name: string): string => new URL(`./${name}.js`, import.meta.url).pathname;

const pools: readonly [name: string, open: () => Promise<{ carry: Carry; close: Subject['close'] }>][] = [
  [
    basis,
    async () => {
      const pool = new Piscina({ filename: file('profiled'), minThreads: 1, maxThreads: 1, atomics: 'disabled' });
      return { carry: (params) => pool.run({ params, context }), close: () => pool.destroy() };
    },
  ],
  [
    'workerpool',
    async () => {
      const pool = workerpool.pool(file('profiled-pooled'), { minWorkers: 1, maxWorkers: 1, workerType: 'thread' });
      const carry: Carry = async (params) => await pool.exec('work', [{ params, context }]);
      return { carry, close: async () => void (await pool.terminate(true)) };
    },
  ],
  [
    nameOf('thread'),
    async () => {
      const { close, run } = await openRunning('thread', new URL('./profiled.js', import.meta.url), oneThread);
      return { carry: (params) => run(taskOf(params)), close };
    },
  ],
];

/** In turns, so that a slow second hurts none of them alone; the median of each area. */
async function profileAll(plan: Plan): Promise<Profiled[]> {
  const opened = await Promise.all(pools.map(async ([name, open]) => ({ name, ...(await open()), rounds: [] as Profiled[] })));
  const calls = plan.pick(6000, 5);
  for (const { carry } of opened) await call(carry, calls);
  for (let round = 1; round <= plan.pick(7, 1); round++) {
    for (const { carry, name, rounds } of opened) {
      plan.progress(`profile of ${name}, round ${round}`);
      rounds.push({ name, ...(await profileOne(carry, calls)) });
    }
  }
  for (const { close } of opened) await close?.();
  return opened.map(({ name, rounds }) => ({
    name,
    main: medianOf(rounds.map(({ main }) => main)),
    thread: medianOf(rounds.map(({ thread }) => thread)),
  }));
}

const params = payloadOf(1024);
const isRight = answerFor(1024);

async function call(carry: Carry, calls: number): Promise<void> {
  for (let done = 0; done < calls; done++) {
    if (!isRight(await carry(params))) throw new Error('the work was not done (a wrong answer came back)');
  }
}

async function profileOne(carry: Carry, calls: number): Promise<Omit<Profiled, 'name'>> {
  const profiler = openProfiler();
  await carry(begin);
  await profiler.begin();
  await call(carry, calls);
  const main = await profiler.end();
  const said = (await carry(end)) as { content: { text: string } };
  return { main: perCall(main, calls), thread: perCall(JSON.parse(said.content.text), calls) };
}

const eachArea = (figure: (area: Area) => number): Profile['areas'] =>
  Object.fromEntries(areas.map((area) => [area, figure(area)])) as Profile['areas'];

function perCall({ areas: sums, processor }: Profile, calls: number): Profile {
  return { areas: eachArea((area) => sums[area] / calls), processor: processor === null ? null : processor / calls };
}

function medianOf(profiles: readonly Profile[]): Profile {
  const processors = profiles.flatMap(({ processor }) => (processor === null ? [] : [processor]));
  return {
    areas: eachArea((area) => median(profiles.map((profile) => profile.areas[area]))),
    processor: processors.length === 0 ? null : median(processors),
  };
}

const labels: { readonly [area in Area]: string } = {
  sending: 'sending (postMessage)',
  native: 'native code (reading messages, JSON)',
  node: "Node's JavaScript",
  bulkhead: "mcp-bulkhead's JavaScript",
  pool: "the pool's JavaScript",
  bench: 'callback and bench',
  garbage: 'garbage collection',
};

const sumOf = ({ areas: sums }: Profile): number => areas.reduce((sum, area) => sum + sums[area], 0);

function profileTable(profiled: readonly Profiled[]): Table {
  const columns = profiled.flatMap(({ main, name, thread }): [string, Profile][] => [
    [`${name}, main`, main],
    [`${name}, worker`, thread],
  ]);
  const row = (name: string, figure: (profile: Profile) => Cell): Cell[] => [name, ...columns.map(([, of]) => figure(of))];
  return {
    title: 'Both threads of a call, us by where the code is from',
    columns: ['', ...columns.map(([name]) => name)],
    rows: [
      ...areas.map((area) => row(labels[area], (profile) => profile.areas[area])),
      row('profiled', sumOf),
      row('processor time', ({ processor }) => processor),
    ],
    note: "Callback alone, 1 KB, one at a time, under the profiler (a sample every 100 us), which makes everything slower. Processor time is the scheduler's, and holds what the kernel does to put a thread to sleep and to wake it, which the profiler counts as idle.",
  };
}

function profileChart(profiled: readonly Profiled[]): BarChart {
  const bars = profiled.map(({ main, name, thread }) => ({
    name,
    value: sumOf(main) + sumOf(thread),
    ours: name === nameOf('thread'),
  }));
  return { type: 'bars', title: 'Both threads of a call, as profiled', unit: 'us, both threads together', scale: 'linear', bars };
}

/** Why a leaner pool may be faster, in figures of this run. */
function profileNote(profiled: readonly Profiled[]): string {
  const total = (name: string, area: Area): number => {
    const found = profiled.find((one) => one.name === name) as Profiled;
    return found.main.areas[area] + found.thread.areas[area];
  };
  const differences = areas
    .filter((area) => area !== 'bulkhead' && area !== 'pool')
    .map((area) => `${labels[area]} ${signed(total(nameOf('thread'), area) - total('workerpool', area))}`);
  const own = number(total(nameOf('thread'), 'bulkhead'));
  const lean = number(total('workerpool', 'pool'));
  return `Ours beside workerpool, both threads together, us a call: own JavaScript ${own} instead of ${lean}; ${differences.join(', ')}. What ours does beyond carrying a message: it chooses and watches the thread, lets a task be taken back, holds the answer to plain data and writes it as text, so that nothing else comes back, and keeps the async context by which a late failure finds its request (hooks on every promise up to Node 22, free from Node 24 on).`;
}

const signed = (value: number): string => `${value < 0 ? '−' : '+'}${number(Math.abs(value))}`;
