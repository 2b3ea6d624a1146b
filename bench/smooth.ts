/**
 * Does the host stay smooth? Four callbacks burn processor time at once while the main thread tries to do a little work every
 * millisecond; a stall is how much later than that it got its turn.
 */
import { fileURLToPath } from 'node:url';
import { Piscina } from 'piscina';
import type { BarChart, Goal, Table } from '../src/cli/measure/answer.js';
import type { Subject } from '../src/cli/measure/compare.js';
import { judgeEstimate } from '../src/cli/measure/goal.js';
import { ratio } from '../src/cli/measure/spelling.js';
import { median, pairedRatio, quantile } from '../src/cli/measure/statistics.js';
import type { CallbackContext, SamplingParams, SamplingResult } from '../src/contract/handler.js';
import { ask } from './question.js';
import { handleSampling } from './subjects/burn.js';
import { context } from './subjects/payload.js';
import { nameOf, openRoom, ours, outside } from './subjects/tiers.js';

const callbacks = 4;
const basis = 'inline';

interface Trial {
  readonly name: string;
  readonly subject: Subject;
  /** Of each round, in ms. */
  readonly longest: number[];
  readonly stalls: number[];
}

await ask({
  name: 'smooth',
  title: `How smooth the main thread stays while ${callbacks} callbacks burn`,
  async answer(plan) {
    const trials = await openTrials(plan.pick(250, 20));
    const rounds = plan.pick(7, 1);
    for (let round = 0; round < rounds; round++) {
      for (const trial of trials) {
        plan.progress(`smooth: round ${round + 1} of ${rounds}, ${trial.name}`);
        await play(trial);
      }
    }
    for (const { subject } of trials) await subject.close?.();
    return { tables: [tableOf(trials, rounds)], charts: [chartOf(trials)], goals: goalsOf(trials), notes: [] };
  },
});

async function openTrials(milliseconds: number): Promise<Trial[]> {
  const params: SamplingParams = { messages: [], maxTokens: milliseconds };
  const filename = fileURLToPath(new URL('./subjects/burning.js', import.meta.url));
  const pool = new Piscina({ filename, minThreads: callbacks, maxThreads: callbacks, atomics: 'disabled' });
  const subjects: [string, Subject][] = [
    [basis, { call: () => handleSampling(params, context as CallbackContext) }],
    ['piscina', { call: () => pool.run({ params, context }), close: () => pool.destroy() }],
  ];
  const module = new URL('./subjects/burn.js', import.meta.url);
  // Our own inline tier is the baseline by definition: it runs in the main thread too.
  for (const tier of outside) subjects.push([nameOf(tier), await openRoom(tier, module, params, callbacks)]);
  return subjects.map(([name, subject]) => ({ name, subject, longest: [], stalls: [] }));
}

async function play({ name, subject, longest, stalls }: Trial): Promise<void> {
  const before = stalls.length;
  const stop = sample(stalls);
  const answers = await Promise.all(Array.from({ length: callbacks }, () => subject.call()));
  await stop();
  for (const answer of answers) check(name, answer);
  longest.push(Math.max(...stalls.slice(before)));
}

/** Takes a turn every millisecond and notes how late it came; the last turn is waited for. */
function sample(stalls: number[]): () => Promise<void> {
  let last = performance.now();
  let stopped: (() => void) | undefined;
  const turn = (): void => {
    const now = performance.now();
    stalls.push(Math.max(0, now - last - 1));
    last = now;
    if (stopped === undefined) setTimeout(turn, 1);
    else stopped();
  };
  setTimeout(turn, 1);
  return () =>
    new Promise((resolve) => {
      stopped = resolve;
    });
}

function check(name: string, answer: unknown): void {
  const { content } = answer as SamplingResult;
  const text = (content as { text?: string } | undefined)?.text;
  if (!(Number(text) > 0)) throw new Error(`${name}: the work was not done`);
}

function tableOf(trials: readonly Trial[], rounds: number): Table {
  const base = trials.find(({ name }) => name === basis) as Trial;
  return {
    title: 'Stalls of the main thread',
    columns: ['', 'longest ms (median of rounds)', 'longest ms (of all)', 'p99 ms', 'p50 ms', `longest, to ${basis}`, 'turns'],
    rows: trials.map(({ longest, name, stalls }) => [
      name,
      median(longest),
      Math.max(...longest),
      quantile(stalls, 0.99),
      quantile(stalls, 0.5),
      name === basis ? '1x' : ratio(pairedRatio(longest, base.longest)),
      stalls.length,
    ]),
    note: `${rounds} interleaved rounds; a turn is wanted every millisecond; ${callbacks} callbacks at once.`,
  };
}

function chartOf(trials: readonly Trial[]): BarChart {
  const bars = trials.map(({ longest, name }) => ({ name, value: median(longest), ours: ours(name) }));
  return { type: 'bars', title: 'Longest stall of the main thread', unit: 'ms, median of rounds', scale: 'log', bars };
}

function goalsOf(trials: readonly Trial[]): Goal[] {
  const base = trials.find(({ name }) => name === basis) as Trial;
  return trials
    .filter(({ name }) => ours(name))
    .map(({ longest, name }) =>
      judgeEstimate(
        {
          what: `longest main-thread stall while ${callbacks} callbacks burn, against inline (${name})`,
          goal: '<= 1/20',
          limit: 0.05,
          must: 'stay below',
          unit: 'x',
        },
        pairedRatio(longest, base.longest),
      ),
    );
}
