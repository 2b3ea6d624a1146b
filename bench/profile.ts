/**
 * Where does a call's time go? First what one guarded form takes of the main thread, taken apart: what the platform takes to wake
 * a thread and be woken, and what is ours. Then a processor profile of both threads of a call, beside the pools that carry the
 * same callback.
 */
import type { Goal, Table } from '../src/cli/measure/answer.js';
import type { Compared } from '../src/cli/measure/compare.js';
import { figuresOf } from '../src/cli/measure/compared.js';
import { judgeEstimate } from '../src/cli/measure/goal.js';
import { number } from '../src/cli/measure/spelling.js';
import { type Estimate, estimate } from '../src/cli/measure/statistics.js';
import { ask } from './question.js';
import { profileCalls } from './subjects/profiles.js';
import { printedOnOneCore } from './subjects/spawned.js';
import { bareName, officialName } from './subjects/wire.js';
import { compareWork, guardsName, hopName, wholeName } from './subjects/work.js';

await ask({
  name: 'profile',
  title: "Where a call's time goes",
  async answer(plan) {
    const effort = { rounds: plan.pick(21, 1), samples: plan.pick(1000, 2) };
    const work = await compareWork(effort, plan.progress);
    plan.progress('main-thread work on one core');
    const alone = (await printedOnOneCore('work', `${effort.rounds}`, `${effort.samples}`)) as Compared | undefined;
    const free = partsOf(work);
    const pinned = alone === undefined ? undefined : partsOf(alone);
    const { charts, notes, tables } = await profileCalls(plan);
    return {
      tables: [workTable(free, pinned, work), ...tables],
      charts,
      goals: workGoals(free, pinned, work),
      notes: [workNote(free, pinned), ...notes],
    };
  },
});

/** Main-thread processor time a request, in us. All but the first two are beyond line and server. */
interface Parts {
  readonly line: Estimate;
  readonly hop: Estimate;
  readonly official: Estimate;
  readonly steps: Estimate;
  readonly whole: Estimate;
}

function partsOf(compared: Compared): Parts {
  const of = (name: string): readonly number[] => figuresOf(compared, name).processors;
  const line = of(bareName);
  const beyond = (name: string): Estimate => estimate(of(name).map((used, round) => used - (line[round] ?? 0)));
  return {
    line: estimate(line),
    hop: estimate(of(hopName)),
    official: beyond(officialName),
    steps: beyond(guardsName),
    whole: beyond(wholeName),
  };
}

function workTable(free: Parts, pinned: Parts | undefined, { processorSource, rounds }: Compared): Table {
  const names: readonly [part: keyof Parts, name: string][] = [
    ['line', 'line and server, which are in this thread only here'],
    ['official', 'beyond that: the official client with its own handler'],
    ['whole', 'beyond that: ours, the callback in a thread'],
    ['steps', 'of it: every step of ours and the callback, in place (inline tier)'],
    ['hop', `of it: ${hopName}`],
  ];
  const spelled = ({ high, low, median }: Estimate): string => `${number(median)} (${number(low)} to ${number(high)})`;
  return {
    title: 'Main-thread work of one form of 6 fields, us',
    columns: ['', 'cores as the system gives them', 'all threads on one core'],
    rows: names.map(([part, name]) => [name, spelled(free[part]), pinned === undefined ? null : spelled(pinned[part])]),
    note: `Processor time of the main thread (${processorSource}) a request; medians and 95 % intervals over ${rounds} rounds, differences within a round. What the last two leave over is writing and reading messages that are not empty, and all of it with caches that are cold after each sleep.`,
  };
}

function workGoals(free: Parts, pinned: Parts | undefined, { processorSource }: Compared): Goal[] {
  const what = 'main-thread work of one request, guards included, for a form of 6 fields';
  const limit = { goal: '<= 60 us', limit: 60, must: 'stay below', unit: ' us' } as const;
  const wake = `by ${processorSource}, less the bare wire; an empty message to a bare thread and back takes ${number(free.hop.median)} us by itself`;
  const goals = [judgeEstimate({ ...limit, what, note: wake }, free.whole)];
  if (pinned !== undefined) {
    const note = 'the same instructions; what is missing is waking a core that sleeps';
    goals.push(judgeEstimate({ ...limit, what: `${what}, on one core`, note }, pinned.whole));
  }
  return goals;
}

function workNote(free: Parts, pinned: Parts | undefined): string {
  const official = `With its own handler in the main thread the official client takes ${number(free.official.median)} us there for the same form, ours with the callback in a thread ${number(free.whole.median)} us.`;
  // Where the machine is busy anyway nobody sleeps, and there is nothing to tell.
  if (pinned === undefined || pinned.whole.median >= free.whole.median) return official;
  return `${official} The same instructions take ${number(pinned.whole.median)} us where all threads have one core: the rest is the kernel waking a core that sleeps, once a message, and caches that are cold afterwards. Only a thread that spins instead of sleeping would save that.`;
}
