/**
 * What a kill costs: how late the reply to an endless loop is, how long the next callback waits, the same ten times in a row, and
 * whether two hundred kills leave anything behind.
 */
import type { BarChart, Goal, Table } from '../src/cli/measure/answer.js';
import { judge, judgeEstimate } from '../src/cli/measure/goal.js';
import { ratio } from '../src/cli/measure/spelling.js';
import { estimate, median, pairedRatio, quantile } from '../src/cli/measure/statistics.js';
import { ask, collect, type Plan } from './question.js';
import { coldName, type Killer, openKillers, ourName } from './subjects/killers.js';

const deadline = 50;

interface Trial {
  readonly killer: Killer;
  /** ms from the deadline until the caller knew. */
  readonly late: number[];
  /** ms from then until the next callback was answered. */
  readonly next: number[];
  /** The next callback of each of ten kills without a pause between. */
  readonly row: number[];
}

await ask({
  name: 'kill',
  title: 'What a kill costs',
  async answer(plan) {
    const trials: Trial[] = (await openKillers()).map((killer) => ({ killer, late: [], next: [], row: [] }));
    const rounds = plan.pick(15, 2);
    for (let round = 0; round < rounds; round++) {
      for (const trial of trials) {
        plan.progress(`kill: round ${round + 1} of ${rounds}, ${trial.killer.name}`);
        await killOnce(trial, trial.next);
        await trial.killer.rest();
      }
    }
    for (const trial of trials) {
      plan.progress(`kill: ten in a row, ${trial.killer.name}`);
      for (let kill = 0; kill < plan.pick(10, 2); kill++) await killOnce(trial, trial.row);
      await trial.killer.rest();
    }
    const kept = await cycles(trialOf(trials, ourName).killer, plan);
    for (const { killer } of trials) await killer.close();
    return {
      tables: [tableOf(trials, rounds), rowTable(trials), keptTable(kept)],
      charts: [chartOf(trials)],
      goals: goalsOf(trials),
      notes: [
        'A spare is loaded and waiting, so the next callback pays a message and not a start. In ten kills without a pause the next spare starts while the next loop spins towards its deadline; only a start that takes longer than that would be waited for.',
      ],
    };
  },
});

async function killOnce({ killer, late }: Trial, next: number[]): Promise<void> {
  const from = performance.now();
  await killer.loop(deadline);
  const known = performance.now();
  late.push(known - from - deadline);
  await killer.answer();
  next.push(performance.now() - known);
}

interface Kept {
  readonly cycles: number;
  readonly heapPerCycle: number;
  readonly residentPerCycle: number;
}

/** The slope over the second half: the first warms up what is warmed once. */
async function cycles(killer: Killer, plan: Plan): Promise<Kept> {
  const count = plan.pick(200, 4);
  const heap: number[] = [];
  const resident: number[] = [];
  for (let cycle = 0; cycle < count; cycle++) {
    if (cycle % 10 === 0) plan.progress(`kill: cycle ${cycle} of ${count}`);
    await killer.loop(5);
    await killer.answer();
    if (cycle < count / 2) continue;
    collect();
    const { heapUsed, rss } = process.memoryUsage();
    heap.push(heapUsed);
    resident.push(rss);
  }
  return { cycles: count, heapPerCycle: slope(heap), residentPerCycle: slope(resident) };
}

/** Least squares; a median would hide a leak that comes in steps. */
function slope(values: readonly number[]): number {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  let [above, below] = [0, 0];
  values.forEach((value, at) => {
    above += (at - middle) * (value - mean);
    below += (at - middle) ** 2;
  });
  return below === 0 ? 0 : above / below;
}

function trialOf(trials: readonly Trial[], name: string): Trial {
  return trials.find(({ killer }) => killer.name === name) as Trial;
}

function tableOf(trials: readonly Trial[], rounds: number): Table {
  const cold = trialOf(trials, coldName);
  return {
    title: 'One kill of an endless loop',
    columns: ['', 'reply late, ms p50', 'p99', 'next callback, ms p50', 'p99', `next, to ${coldName}`],
    rows: trials.map(({ killer, late, next }) => [
      killer.name,
      ...[median(late), quantile(late, 0.99), median(next), quantile(next, 0.99)],
      killer.name === coldName ? '1x' : ratio(pairedRatio(next, cold.next)),
    ]),
    note: `${rounds} interleaved rounds; deadline ${deadline} ms; every pool has one thread, and ours one spare where it says nothing else. The cold respawn is ours without a spare.`,
  };
}

function rowTable(trials: readonly Trial[]): Table {
  return {
    title: 'Ten kills in a row, no pause between',
    columns: ['', 'next callback, ms p50', 'longest'],
    rows: trials.map(({ killer, row }) => [killer.name, median(row), Math.max(...row)]),
  };
}

function keptTable({ cycles: count, heapPerCycle, residentPerCycle }: Kept): Table {
  return {
    title: 'What kills leave behind',
    columns: ['', 'cycles', 'heap, bytes a cycle', 'resident, bytes a cycle'],
    rows: [[ourName, count, heapPerCycle, residentPerCycle]],
    note: 'Slope over the second half of the cycles, after a forced collection in each.',
  };
}

function chartOf(trials: readonly Trial[]): BarChart {
  const bars = trials.map(({ killer: { name }, next }) => ({ name, value: median(next), ours: name === ourName }));
  return { type: 'bars', title: 'Next callback after a kill', unit: 'ms, median', scale: 'log', bars };
}

function goalsOf(trials: readonly Trial[]): Goal[] {
  const { late, next } = trialOf(trials, ourName);
  const cold = trialOf(trials, coldName);
  return [
    judge(
      {
        what: "reply after an endless loop's deadline (median)",
        goal: '<= 5 ms late',
        limit: 5,
        must: 'stay below',
        unit: ' ms',
      },
      median(late),
    ),
    judgeEstimate(
      { what: 'next callback after a kill', goal: '<= 5 ms', limit: 5, must: 'stay below', unit: ' ms' },
      estimate(next),
    ),
    judgeEstimate(
      { what: 'next callback after a kill, to a cold respawn', goal: '<= 1/10', limit: 0.1, must: 'stay below', unit: 'x' },
      pairedRatio(next, cold.next),
    ),
  ];
}
