/**
 * How do costs grow? One callback against the size of its params and against the number in flight; memory and one request
 * against the number of connections in one process. Each shape is named by its exponent, or by its knee.
 */
import type { Chart, LineChart, Table } from '../src/cli/measure/answer.js';
import { type Case, compare, type Subject } from '../src/cli/measure/compare.js';
import { describeGrowth, growth, type Point } from '../src/cli/measure/growth.js';
import { bytes as sizeOf } from '../src/cli/measure/spelling.js';
import { median } from '../src/cli/measure/statistics.js';
import { ask, type Plan } from './question.js';
import { baselines, basis } from './subjects/baselines.js';
import type { Crowd } from './subjects/crowd.js';
import { answerFor, payloadOf } from './subjects/payload.js';
import { printedBy } from './subjects/spawned.js';
import { callback, isolated, nameOf, openRunning, outside, taskOf } from './subjects/tiers.js';
import { officialName } from './subjects/wire.js';

/** Whose connections are counted. */
const hosts = [officialName, 'inline', 'thread'] as const;

interface Line {
  readonly name: string;
  readonly points: Point[];
}

interface Part {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
}

await ask({
  name: 'scale',
  title: 'How costs grow',
  async answer(plan) {
    return {
      ...joined([await againstPayload(plan), await againstConcurrency(plan), await againstConnections(plan)]),
      notes: [
        'The shape of a line is its exponent on a double logarithmic scale: 0 is flat, 1 is linear; a knee is named where two lines explain the points much better than one.',
      ],
      goals: [],
    };
  },
});

function joined(parts: readonly Part[]): Part {
  return { tables: parts.flatMap(({ tables }) => tables), charts: parts.flatMap(({ charts }) => charts) };
}

/** Lines as a chart, and as a table that names each line's shape. */
function drawn(title: string, x: string, y: string, lines: readonly Line[], unit: (x: number) => string): Part {
  const chart: LineChart = {
    type: 'lines',
    title: `${title}: ${y}`,
    x,
    y,
    scale: 'log',
    lines: lines.map(({ name, points }) => ({ name, points: points.map((point) => [point.x, point.y]) })),
  };
  const table: Table = {
    title: `${title}: ${y}`,
    columns: ['', ...(lines[0]?.points ?? []).map((point) => unit(point.x)), 'shape'],
    rows: lines.map(({ name, points }) => [name, ...points.map((point) => point.y), describeGrowth(growth(points), unit)]),
  };
  return { tables: [table], charts: [chart] };
}

// ---- payload ------------------------------------------------------------------------------------------------------------

async function againstPayload(plan: Plan): Promise<Part> {
  const sizes = plan.smoke ? [1024, 65_536] : [1024, 4096, 16_384, 65_536, 262_144, 1_048_576];
  const lines: Line[] = [await payloadLine(basis, sizes, plan)];
  for (const tier of outside) lines.push(await payloadLine(nameOf(tier), sizes, plan));
  return drawn('Cost against the size of params', 'bytes of params', 'us a call, median', lines, sizeOf);
}

/** One pool, or one room, is asked with every size, in interleaved rounds. */
async function payloadLine(name: string, sizes: readonly number[], plan: Plan): Promise<Line> {
  const cases: Case[] = sizes.map((bytes) => {
    const [found] = [...baselines({ bytes, lanes: 1 }), ...isolated({ bytes, lanes: 1 })].filter((one) => one.name === name);
    return { ...(found as Case), name: sizeOf(bytes) };
  });
  const compared = await compare({
    name: `${name} against size`,
    baseline: sizeOf(sizes[0] as number),
    cases,
    rounds: plan.pick(9, 1),
    samples: plan.pick(20, 1),
    progress: plan.progress,
  });
  return { name, points: sizes.map((x, at) => ({ x, y: compared.figures[at]?.p50 ?? Number.NaN })) };
}

// ---- concurrency --------------------------------------------------------------------------------------------------------

async function againstConcurrency(plan: Plan): Promise<Part> {
  const levels = plan.smoke ? [1, 2] : [1, 2, 4, 8, 16];
  const names = [basis, ...outside.map(nameOf)];
  const lines: Line[] = names.map((name) => ({ name, points: [] }));
  for (const lanes of levels) {
    const load = { bytes: 1024, lanes };
    const pools = baselines(load).filter(({ name }) => name === basis);
    const compared = await compare({
      name: `${lanes} in flight`,
      baseline: basis,
      cases: [...pools, ...outside.map((tier): Case => crowded(tier, lanes))],
      rounds: plan.pick(9, 1),
      samples: plan.pick(200, 4),
      lanes,
      progress: plan.progress,
    });
    for (const [at, { perSecond }] of compared.figures.entries()) lines[at]?.points.push({ x: lanes, y: 1e6 / perSecond });
  }
  return drawn('Cost against calls in flight', 'calls in flight', 'us of wall time a call', lines, String);
}

/** A server may hold half of the threads, so the calls come from servers of their own. */
function crowded(tier: (typeof outside)[number], lanes: number): Case {
  return {
    name: nameOf(tier),
    async open(): Promise<Subject> {
      const { close, run } = await openRunning(tier, callback, { min: lanes, max: 2 * lanes });
      const task = taskOf(payloadOf(1024));
      return { call: () => run(task), close };
    },
    check: answerFor(1024),
  };
}

// ---- connections --------------------------------------------------------------------------------------------------------

async function againstConnections(plan: Plan): Promise<Part> {
  const counts = plan.smoke ? [1, 10] : [1, 10, 100, 1000];
  const found = await measureCrowds(counts, plan);
  const lines = (figure: (crowd: Crowd, count: number) => number, from = 1): Line[] =>
    hosts.map((host) => ({
      name: host === officialName ? host : nameOf(host),
      points: counts
        .filter((count) => count >= from)
        .map((count) => ({
          x: count,
          y: median((found.get(`${host} ${count}`) ?? []).map((crowd) => Math.max(figure(crowd, count), 0.001))),
        })),
    }));
  const figures: readonly [y: string, lines: Line[]][] = [
    // One connection is less than what a collection leaves behind by chance.
    ['KiB of heap a connection', lines(({ heap }, count) => heap / count / 1024, 10)],
    ['us a request, median', lines(({ p50 }) => p50)],
    ['main-thread us a request', lines(({ processor }) => processor)],
    ['ms to open a connection', lines(({ open }) => open)],
  ];
  return joined(figures.map(([y, of]) => drawn('Connections in one process', 'connections', y, of, String)));
}

/** By host and count, a figure for each round. */
async function measureCrowds(counts: readonly number[], plan: Plan): Promise<ReadonlyMap<string, readonly Crowd[]>> {
  const found = new Map<string, Crowd[]>();
  for (let round = 0; round < plan.pick(2, 1); round++)
    for (const count of counts)
      for (const host of hosts) {
        plan.progress(`scale: ${count} connections, ${host}, round ${round + 1}`);
        const key = `${host} ${count}`;
        const crowd = (await printedBy('crowd', host, String(count), String(plan.pick(2000, 20)))) as Crowd;
        found.set(key, [...(found.get(key) ?? []), crowd]);
      }
  return found;
}
