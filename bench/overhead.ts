/**
 * What does it cost to run a callback elsewhere? First the callback by itself: in place, in bare pools, in a child process and
 * in each of our tiers, for three sizes of params, one at a time and eight at a time. Then the whole path of a request, wire and
 * guards included, beside the official client's own handler.
 */
import type { Goal } from '../src/cli/measure/answer.js';
import { type Compared, compare } from '../src/cli/measure/compare.js';
import { comparedChart, comparedTable, figuresOf } from '../src/cli/measure/compared.js';
import { judgeEstimate } from '../src/cli/measure/goal.js';
import { number, bytes as sizeOf } from '../src/cli/measure/spelling.js';
import { pairedRatio } from '../src/cli/measure/statistics.js';
import { ask, type Plan } from './question.js';
import { baselines, basis, type Load } from './subjects/baselines.js';
import { accepted, form, isAccepted } from './subjects/form.js';
import { answerFor, payloadOf } from './subjects/payload.js';
import { printedOnOneCore } from './subjects/spawned.js';
import { isolated, nameOf, ours } from './subjects/tiers.js';
import { type Ask, bareName, hosts, officialName } from './subjects/wire.js';

await ask({
  name: 'overhead',
  title: 'What one callback costs, here and elsewhere',
  async answer(plan) {
    const callbacks: Compared[] = [];
    const levels = plan.smoke ? [1] : [1, 8];
    const sizes = plan.smoke ? [1024] : [1024, 64 * 1024, 1024 * 1024];
    for (const lanes of levels) for (const bytes of sizes) callbacks.push(await measureCallback({ bytes, lanes }, plan));
    const requests: Compared[] = [];
    for (const lanes of levels) requests.push(await measureForm(lanes, plan));
    for (const bytes of sizes) requests.push(await measureSampling(bytes, plan));
    plan.progress('callback alone, on one core');
    const alone = await onOneCore(plan);
    const [small, ...larger] = callbacks as [Compared, ...Compared[]];
    const all = [small, ...alone, ...larger, ...requests];
    return {
      tables: all.map((one) => comparedTable(one)),
      charts: all.map((one) => comparedChart(one, ours)),
      goals: [...callbackGoals(small), ...alone.flatMap((one) => callbackGoals(one, ', on one core'))],
      notes: [
        'A callback by itself: the bare pools get the same params and context, and as many threads as there are calls in flight.',
        ...alone.map((one) => placementNote(small, one)),
        ownWork(small),
        `A request: a server asks over an in-memory line; "${bareName}" is what line and server cost by themselves, in the same thread.`,
      ],
    };
  },
});

function atOnce(lanes: number): string {
  return lanes === 1 ? 'one at a time' : `${lanes} at a time`;
}

/** Where a goal hangs on it, enough rounds for an interval that can tell. */
function effort(bytes: number, plan: Plan, judged = false): { rounds: number; samples: number } {
  const large = bytes > 100_000;
  return { rounds: plan.pick(judged ? 101 : large ? 9 : 21, 1), samples: plan.pick(large ? 16 : 120, 2) };
}

function measureCallback(load: Load, plan: Plan): Promise<Compared> {
  return compare({
    name: `callback alone, ${sizeOf(load.bytes)}, ${atOnce(load.lanes)}`,
    baseline: basis,
    cases: [...baselines(load), ...isolated(load)],
    lanes: load.lanes,
    progress: plan.progress,
    ...effort(load.bytes, plan, load.bytes === 1024 && load.lanes === 1),
  });
}

/** The same in a process that has one core; nothing where the system has no way to say so. */
async function onOneCore(plan: Plan): Promise<Compared[]> {
  const { rounds, samples } = effort(1024, plan, true);
  const compared = (await printedOnOneCore('calls', `${rounds}`, `${samples}`)) as Compared | undefined;
  return compared === undefined ? [] : [compared];
}

function measureForm(lanes: number, plan: Plan): Promise<Compared> {
  const question: Ask = { method: 'elicitation/create', params: form, check: isAccepted };
  return compare({
    name: `whole request, form of 6 fields, ${atOnce(lanes)}`,
    baseline: officialName,
    cases: hosts(question, lanes, accepted),
    lanes,
    progress: plan.progress,
    ...effort(0, plan),
  });
}

function measureSampling(bytes: number, plan: Plan): Promise<Compared> {
  const question: Ask = { method: 'sampling/createMessage', params: payloadOf(bytes), check: answerFor(bytes) };
  const sample = { role: 'assistant', content: { type: 'text', text: String(Math.round(bytes / 1024) * 1024) }, model: 'bench' };
  return compare({
    name: `whole request, sampling of ${sizeOf(bytes)}, one at a time`,
    baseline: officialName,
    cases: hosts(question, 1, sample),
    progress: plan.progress,
    ...effort(bytes, plan),
  });
}

/** The inline tier takes every step of ours and no message, so that it shows what we add to a message's round trip. */
function ownWork(small: Compared): string {
  const { p50 } = figuresOf(small, nameOf('inline'));
  return `Our own work on a call, both sides of the thread together, is the whole cost of "${nameOf('inline')}": ${number(p50)} us (job, checks, and the answer as JSON text). The async context by which late failures find their callback adds about 1 us in the worker on Node 20. That is what there is between the thread tier and the leanest pool; the rest is the platform's message.`;
}

function placementNote(free: Compared, pinned: Compared): string {
  const p50 = (of: Compared): string => number(figuresOf(of, nameOf('thread')).p50);
  return `Over several cores a call takes as long as where the system puts its two threads: ${p50(free)} us in the middle of this run, ${p50(pinned)} us where both have one core and no message has to wake another. There nothing is left to chance, so intervals are narrow.`;
}

function callbackGoals(compared: Compared, where = ''): Goal[] {
  const { costs, ratio } = figuresOf(compared, nameOf('thread'));
  if (ratio === undefined) return [];
  const what = `one callback in a warm worker through the runtime, without the guards${where}, against `;
  const reason = 'or the reason shown by a profile: "Both threads of a call"';
  const toOthers = ['tinypool', 'workerpool', 'fork'].map((name) =>
    judgeEstimate(
      { what: `${what}${name}`, goal: '< 1x', limit: 1, must: 'stay below', unit: 'x', note: reason },
      pairedRatio(costs, figuresOf(compared, name).costs),
    ),
  );
  const toPiscina = {
    what: `${what}bare Piscina, same atomics mode`,
    goal: '<= 1.25x',
    limit: 1.25,
    must: 'stay below',
    unit: 'x',
  } as const;
  return [judgeEstimate(toPiscina, ratio), ...toOthers];
}
