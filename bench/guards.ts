/**
 * What do the guards cost the main thread? Admitting and releasing forms and conversations, cleaning log entries, spending the
 * budget, alone and against other threads; what hostile input costs; and whether 20 000 different forms leave anything
 * behind. Each is set against what the wire costs anyway, the parse of the same message.
 */
import { Ajv } from 'ajv';
import type { Goal, Table } from '../src/cli/measure/answer.js';
import { type Case, type Compared, compare } from '../src/cli/measure/compare.js';
import { comparedChart, comparedTable, figuresOf } from '../src/cli/measure/compared.js';
import { judge } from '../src/cli/measure/goal.js';
import { openProcessor, type Processor } from '../src/cli/measure/processor.js';
import { median } from '../src/cli/measure/statistics.js';
import { systemClock } from '../src/clock.js';
import { formFaults } from '../src/contract/form.js';
import { admit, release } from '../src/guards/guards.js';
import { matches } from '../src/guards/linear.js';
import type { Asked, Request } from '../src/guards/policy.js';
import { createBudgetBuffer, openBudget } from '../src/limits/bucket.js';
import { createLogLimit } from '../src/limits/logs.js';
import { cleanEntry } from '../src/sanitise/entry.js';
import { ask, collect, type Plan } from './question.js';
import { asciiEntry, conversation, formNumber, formText, longEntry, mixedEntry, policy } from './subjects/asked.js';
import { contention } from './subjects/contention.js';
import { form, handleElicitation } from './subjects/form.js';
import { type Hostile, hostile } from './subjects/hostile.js';

const parse = 'JSON.parse of the same';
const refusedTake = 'take, refused';
const droppedEntry = 'log entry, dropped';
/** Spent by the first take, and as good as never refilled. */
const spent = { perSecond: 0.001, burst: 1 };

const isOk = ({ ok }: { readonly ok: boolean }): boolean => ok;
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

await ask({
  name: 'guards',
  title: 'What the guards cost the main thread',
  async answer(plan) {
    const compared = [await forms(plan), await checks(plan), await conversations(plan), await entries(plan), await budgets(plan)];
    const worst = refusals(plan);
    const slope = heapSlope(plan);
    return {
      tables: [...compared.map((one) => comparedTable(one)), await contention(plan), worst.table],
      charts: compared.map((one) => comparedChart(one, (name) => name !== one.baseline && !name.startsWith('ajv'))),
      goals: [...budgetGoals(compared.at(-1) as Compared), worst.goal, slope],
      notes: [
        'The interpreter judges every answer: ajv answers faster once it has compiled, but compiling costs thousands of answers, and main-thread time in one piece.',
      ],
    };
  },
});

function measured(name: string, cases: readonly Case[], plan: Plan, repeat: number): Promise<Compared> {
  const baseline = cases[0]?.name ?? '';
  const effort = { rounds: plan.pick(15, 1), samples: plan.pick(20, 2), repeat: plan.pick(repeat, 2) };
  return compare({ name, baseline, cases, progress: plan.progress, ...effort });
}

function timed<T>(name: string, call: () => T, check: (answer: T) => boolean): Case {
  return { name, open: () => ({ call }), check: check as (answer: unknown) => boolean };
}

function admitted(request: Request): Asked {
  const verdict = admit(request, policy);
  if (!verdict.ok) throw new Error(`refused: ${verdict.reason} at ${verdict.path}`);
  return verdict.value;
}

async function forms(plan: Plan): Promise<Compared> {
  const params: unknown = JSON.parse(formText);
  const said = await handleElicitation({} as never, {} as never);
  const asked = admitted({ kind: 'elicitation', params });
  let next = 0;
  const cases = [
    timed(parse, (): unknown => JSON.parse(formText), isObject),
    timed('admit, seen before', () => admit({ kind: 'elicitation', params }, policy), isOk),
    timed('admit, never seen', () => admit({ kind: 'elicitation', params: formNumber(next++) }, policy), isOk),
    timed('release', () => release(said, asked), isOk),
    timed('admit and release', () => release(said, admitted({ kind: 'elicitation', params })), isOk),
  ];
  return measured('a form of 6 fields', cases, plan, 50);
}

/** Why the answers are interpreted and not compiled. */
function checks(plan: Plan): Promise<Compared> {
  const { requestedSchema } = form;
  const content = { name: 'Ada Lovelace', mail: 'ada@example.com', postcode: '10115', parcels: 2, express: true, slot: 'noon' };
  const create = (): Ajv => new Ajv({ strict: false, validateSchema: false, ownProperties: true, formats: { email: true } });
  const schema = { ...requestedSchema, additionalProperties: false };
  const compiled = create().compile(schema);
  const fresh = create();
  const cases = [
    timed(
      'interpreter',
      () => formFaults(requestedSchema, content, matches).length,
      (faults) => faults === 0,
    ),
    timed(
      'ajv, compiled',
      () => compiled(content),
      (fits) => fits === true,
    ),
    timed(
      'ajv, compile and answer',
      () => compileOnce(fresh, { ...schema })(content),
      (fits) => fits === true,
    ),
  ];
  return measured('an answer of 6 fields', cases, plan, 5);
}

/** Ajv keeps every schema it has seen, unless told to forget. */
function compileOnce(ajv: Ajv, schema: object): (content: unknown) => unknown {
  const check = ajv.compile(schema);
  ajv.removeSchema(schema);
  return check;
}

function conversations(plan: Plan): Promise<Compared> {
  const text = JSON.stringify(conversation);
  const asked = admitted({ kind: 'sampling', params: conversation });
  const said = { role: 'assistant', content: { type: 'text', text: 'x'.repeat(4096) }, model: 'bench' };
  const cases = [
    timed(parse, (): unknown => JSON.parse(text), isObject),
    timed('admit', () => admit({ kind: 'sampling', params: conversation }, policy), isOk),
    timed('release', () => release(said, asked), isOk),
  ];
  return measured('sampling of 200 messages', cases, plan, 5);
}

function entries(plan: Plan): Promise<Compared> {
  const text = JSON.stringify(asciiEntry);
  const kept = (entry: object): boolean => JSON.stringify(entry).length > 2000;
  const cases = [
    timed(parse, (): object => JSON.parse(text) as object, kept),
    timed('clean, ASCII', () => cleanEntry(asciiEntry), kept),
    timed('clean, mixed scripts', () => cleanEntry(mixedEntry), kept),
    timed('clean, one text cut by graphemes', () => cleanEntry(longEntry), kept),
  ];
  return measured('a log entry of 4 KB', cases, plan, 10);
}

function budgets(plan: Plan): Promise<Compared> {
  const plenty = { perSecond: 1e6, burst: 1e6 };
  const budget = openBudget();
  const full = openBudget(createBudgetBuffer({ slots: 1 }));
  for (const one of [budget, full]) one.take('few', spent);
  const limit = createLogLimit(spent, systemClock);
  limit.admit();
  const cases = [
    timed('read the clock', process.hrtime.bigint, (time) => time > 0n),
    timed(
      'take',
      () => budget.take('plenty', plenty),
      (said) => said === 'taken',
    ),
    timed(
      refusedTake,
      () => budget.take('few', spent),
      (said) => said === 'refused',
    ),
    timed(
      'take, table full',
      () => full.take('another', spent),
      (said) => said === 'full',
    ),
    timed(
      droppedEntry,
      () => limit.admit(),
      (passed) => !passed,
    ),
  ];
  return measured('a token of the budget', cases, plan, 500);
}

function budgetGoals(budgets: Compared): Goal[] {
  const rows = [
    ['refused request over budget, at the bucket', refusedTake, 5],
    ['dropped log entry, at the limit', droppedEntry, 1],
  ] as const;
  return rows.map(([what, name, limit]) =>
    judge({ what, goal: `<= ${limit} us`, limit, must: 'stay below', unit: ' us' }, figuresOf(budgets, name).p50),
  );
}

/** Each is judged several times, and the median counts: the first time warms code, a stray one meets a collection. */
function refusals(plan: Plan): { readonly table: Table; readonly goal: Goal } {
  const processor = openProcessor();
  const rows = hostile.map((one): [string, number] => {
    plan.progress(`guards: ${one.name}`);
    return [one.name, median(Array.from({ length: plan.pick(21, 1) }, () => refusalTime(one, processor)))];
  });
  const worst = Math.max(...rows.map(([, time]) => time));
  const what = 'main-thread time to refuse the worst of hostile input';
  const columns = ['', 'main CPU ms (median)'];
  return {
    table: {
      title: 'Hostile input, refused',
      columns,
      rows,
      note: `Main-thread CPU by ${processor.source}; reading it is included.`,
    },
    goal: judge({ what, goal: 'a few ms', limit: 5, must: 'stay below', unit: ' ms' }, worst),
  };
}

function refusalTime({ judge: passes, name }: Hostile, processor: Processor): number {
  const before = processor.read();
  if (passes()) throw new Error(`${name}: was let through`);
  return (processor.read() - before) / 1000;
}

/** What a form leaves behind: the slope of the heap over 20 000 different ones, each admitted and answered. */
function heapSlope(plan: Plan): Goal {
  const count = plan.pick(20_000, 500);
  let next = 1_000_000;
  const heapAfter = (more: number): number => {
    for (const end = next + more; next < end; next++) {
      const asked = admitted({ kind: 'elicitation', params: formNumber(next) });
      if (!release({ action: 'decline' }, asked).ok) throw new Error('the work was not done');
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  plan.progress('guards: heap');
  const before = heapAfter(plan.pick(2000, 300));
  const slope = (heapAfter(count) - before) / count;
  const what = `heap left by each of ${count} different forms, after collection`;
  return judge({ what, goal: '< 50 bytes', limit: 50, must: 'stay below', unit: ' bytes' }, slope);
}
