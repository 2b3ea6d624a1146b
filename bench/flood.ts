/**
 * What happens to a host whose server floods it? Notifications through the mailbox to a callback and back, a million of them while
 * the callback is blocked, and what a dropped log entry and a refused request cost the main thread.
 */
import type { BarChart, Goal, LineChart, Table } from '../src/cli/measure/answer.js';
import { type Compared, compare } from '../src/cli/measure/compare.js';
import { comparedChart, comparedTable, figuresOf } from '../src/cli/measure/compared.js';
import { judge } from '../src/cli/measure/goal.js';
import { bytes, number, ratio } from '../src/cli/measure/spelling.js';
import { ask, collect, type Plan } from './question.js';
import { bursts, openMailbox, pushInto, rawName } from './subjects/mailbox.js';
import { askedName, loggedName, parseAskedName, parseName, refusals } from './subjects/refused.js';
import { nameOf, ours } from './subjects/tiers.js';

const most = 1_000_000;
const kept = 1000;

await ask({
  name: 'flood',
  title: 'What a flood does',
  async answer(plan) {
    const burst = plan.pick(20_000, 100);
    const through = await measureThrough(burst, plan);
    const blocked = await measureBlocked(plan);
    const refused = await measureRefused(plan);
    return {
      tables: [throughTable(through, burst), blockedTable(blocked), comparedTable(refused, 'What is dropped or refused')],
      charts: [throughChart(through, burst), heapChart(blocked), comparedChart(refused, isOurs, 'What is dropped or refused')],
      goals: [throughGoal(through, burst), memoryGoal(blocked), ...refusedGoals(refused)],
      notes: [
        `Through the mailbox: ${burst} notifications are handed over at once and waited for; the callback is asynchronous and reads its params. The baselines keep one message in flight and have no order, bound, clock or kill.`,
        'Dropped and refused: each call parses the frame, as a transport does, and hands it to the connection.',
      ],
    };
  },
});

function isOurs(name: string): boolean {
  return name === loggedName || name === askedName;
}

// ---- through the mailbox ------------------------------------------------------------------------------------------------

function measureThrough(burst: number, plan: Plan): Promise<Compared> {
  return compare({
    name: `${burst} notifications to the callback`,
    baseline: rawName(32),
    cases: bursts(burst),
    rounds: plan.pick(11, 1),
    samples: 1,
    warmup: 1,
    progress: plan.progress,
  });
}

function perSecond(microseconds: number, burst: number): number {
  return (burst / microseconds) * 1e6;
}

function throughTable({ figures, rounds, baseline }: Compared, burst: number): Table {
  return {
    title: 'Notifications a second, to the callback and back',
    columns: ['', 'a second (median)', 'a second (best)', 'main CPU us each', `time, to ${baseline}`],
    rows: figures.map(({ best, name, p50, processor, ratio: estimate }) => [
      name,
      perSecond(p50, burst),
      perSecond(best, burst),
      processor / burst,
      estimate === undefined ? '1x' : ratio(estimate),
    ]),
    note: `${rounds} interleaved rounds of ${burst}.`,
  };
}

function throughChart({ figures }: Compared, burst: number): BarChart {
  const bars = figures.map(({ name, p50 }) => ({ name, value: perSecond(p50, burst), ours: ours(name) }));
  return { type: 'bars', title: 'Notifications a second', unit: 'a second, median', scale: 'log', bars };
}

function throughGoal(through: Compared, burst: number): Goal {
  const what = 'notifications a second through the mailbox (thread)';
  const limit = { what, goal: '>= 100 000', limit: 100_000, must: 'reach', unit: ' a second' } as const;
  return judge(limit, perSecond(figuresOf(through, nameOf('thread')).p50, burst));
}

// ---- while the callback is blocked ----------------------------------------------------------------------------------------

interface Blocked {
  readonly pushed: number;
  readonly waiting: number;
  readonly dropped: number;
  /** Of the heap, after collection, while the rest waits. */
  readonly growth: number;
  readonly nanoseconds: number;
}

async function measureBlocked(plan: Plan): Promise<Blocked[]> {
  const found: Blocked[] = [];
  for (const pushed of [kept, 10_000, 100_000, plan.pick(most, 100_000)]) {
    plan.progress(`flood: ${pushed} while the callback is blocked`);
    found.push(await block(pushed));
  }
  return found;
}

async function block(pushed: number): Promise<Blocked> {
  const { mailbox, close } = await openMailbox('thread', kept);
  mailbox.notify('notifications/block', {});
  while (mailbox.stats().running === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  collect();
  const before = process.memoryUsage().heapUsed;
  const began = performance.now();
  pushInto(mailbox, pushed);
  const nanoseconds = ((performance.now() - began) * 1e6) / pushed;
  collect();
  const growth = process.memoryUsage().heapUsed - before;
  const { waiting, dropped, running } = mailbox.stats();
  if (running !== 1 || waiting !== kept || dropped !== pushed - kept) throw new Error('the counts are wrong');
  await close();
  return { pushed, waiting, dropped, growth, nanoseconds };
}

function blockedTable(rows: readonly Blocked[]): Table {
  return {
    title: 'While the callback is blocked',
    columns: ['pushed', 'wait', 'dropped', 'heap growth', 'ns a push'],
    rows: rows.map(({ pushed, waiting, dropped, growth, nanoseconds }) => [
      number(pushed),
      waiting,
      dropped,
      bytes(growth),
      nanoseconds,
    ]),
    note: 'Heap after collection; what waits is kept, and nothing else. The counts are checked.',
  };
}

function heapChart(rows: readonly Blocked[]): LineChart {
  const points = rows.map(({ pushed, growth }) => [pushed, Math.max(1, growth / 1024)] as const);
  return {
    type: 'lines',
    title: 'Heap held by a flood while the callback is blocked',
    x: 'pushed',
    y: 'KB',
    scale: 'log',
    lines: [{ name: 'bulkhead mailbox', points }],
  };
}

/** The growth from one full mailbox to a thousand times as many: what is dropped must leave nothing. */
function memoryGoal(rows: readonly Blocked[]): Goal {
  const [full, last] = [rows[0] as Blocked, rows.at(-1) as Blocked];
  const what = `heap kept by ${number(last.pushed)} notifications beyond a full mailbox`;
  const limit = { what, goal: '<= 1 MB', limit: 1024, must: 'stay below', unit: ' KB' } as const;
  return judge(limit, Math.max(0, last.growth - full.growth) / 1024);
}

// ---- dropped and refused --------------------------------------------------------------------------------------------------

function measureRefused(plan: Plan): Promise<Compared> {
  return compare({
    name: 'what is dropped or refused',
    baseline: parseName,
    cases: refusals(),
    rounds: plan.pick(15, 1),
    samples: plan.pick(4000, 20),
    progress: plan.progress,
  });
}

function refusedGoals(refused: Compared): Goal[] {
  const beyond = (name: string, parse: string): number => figuresOf(refused, name).p50 - figuresOf(refused, parse).p50;
  const note = 'difference of medians within the same rounds';
  return [
    judge(
      { what: 'a dropped log entry, beyond the parse', goal: '<= 1 us', limit: 1, must: 'stay below', unit: ' us', note },
      beyond(loggedName, parseName),
    ),
    judge(
      { what: 'a request over budget, beyond the parse', goal: '<= 5 us', limit: 5, must: 'stay below', unit: ' us', note },
      beyond(askedName, parseAskedName),
    ),
  ];
}
