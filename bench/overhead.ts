/**
 * What does it cost to run a callback elsewhere? The same callback in place, in bare pools, in a child process and in each of
 * our tiers, for three sizes of params, one at a time and eight at a time.
 */
import type { Chart, Goal, Table } from '../src/cli/measure/answer.js';
import { type Compared, compare } from '../src/cli/measure/compare.js';
import { comparedChart, comparedTable, figuresOf } from '../src/cli/measure/compared.js';
import { judgeEstimate } from '../src/cli/measure/goal.js';
import { bytes as sizeOf } from '../src/cli/measure/spelling.js';
import { ask, type Plan } from './question.js';
import { baselines, basis, type Load } from './subjects/baselines.js';
import { isolated, nameOf, ours } from './subjects/tiers.js';

const sizes = [1024, 64 * 1024, 1024 * 1024];

await ask({
  name: 'overhead',
  title: 'What one callback costs, here and elsewhere',
  async answer(plan) {
    const compared: Compared[] = [];
    for (const lanes of [1, 8]) for (const bytes of sizes) compared.push(await measure({ bytes, lanes }, plan));
    const tables: Table[] = compared.map((one) => comparedTable(one));
    const charts: Chart[] = compared.map((one) => comparedChart(one, ours));
    return { tables, charts, goals: goalsOf(compared[0] as Compared), notes: [] };
  },
});

function measure(load: Load, plan: Plan): Promise<Compared> {
  const { bytes, lanes } = load;
  return compare({
    name: `${sizeOf(bytes)}, ${lanes === 1 ? 'one' : lanes} at a time`,
    baseline: basis,
    cases: [...baselines(load), ...isolated(load)],
    rounds: plan.pick(bytes > 100_000 ? 9 : 25, 1),
    samples: plan.pick(bytes > 100_000 ? 16 : 150, 2),
    lanes,
    progress: plan.progress,
  });
}

function goalsOf(small: Compared): Goal[] {
  const { ratio } = figuresOf(small, nameOf('thread'));
  if (ratio === undefined) return [];
  const what = 'one callback through the runtime without the guards, against bare Piscina in the same atomics mode';
  return [judgeEstimate({ what, goal: '<= 1.25x', limit: 1.25, must: 'stay below', unit: 'x' }, ratio)];
}
