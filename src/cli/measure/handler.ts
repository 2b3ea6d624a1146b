/**
 * What a user's own callback costs in each tier: warm beside inline in interleaved rounds, from nothing to a first answer, and
 * the first answer after a kill.
 *
 * Invariant: every answer is looked at; a callback that fails stops the measurement with its own fault rather than looking fast.
 */
import { BulkheadError } from '../../errors.js';
import { release } from '../../guards/guards.js';
import { createIsolation, type IsolationSettings } from '../../isolation/create.js';
import type { Isolation, Outcome, Run } from '../../isolation/isolation.js';
import type { Tier } from '../../options.js';
import { failureOf } from '../failure.js';
import type { Answer, BarChart, Cell, Chart, Table } from './answer.js';
import { type Case, type Compared, compare, type Figures } from './compare.js';
import type { Progress } from './progress.js';
import { type Measured, prepare, type RawRequest, usualRequests } from './request.js';
import { ratio } from './spelling.js';
import { median } from './statistics.js';
import { settingsFor, standBy } from './tiers.js';

export interface HandlerBench {
  readonly handler: string;
  /** Default: a usual one for each input callback of the module. */
  readonly request?: RawRequest;
  readonly tiers: readonly Tier[];
  /** Roughly how long the warm rounds of one callback take altogether. */
  readonly seconds: number;
  readonly progress: Progress;
}

/** One tier that can be measured. */
interface Open {
  readonly tier: Tier;
  readonly settings: IsolationSettings;
  readonly room: Isolation;
}

const rounds = 15;
const repeats = 5;
/** How long a callback may take for its first answer, in ms. */
const patience = 10_000;

/** Rejects with `load` where the module cannot be loaded inline or in a thread, `input_handler` where the callback fails. */
export async function measureHandler(bench: HandlerBench): Promise<Answer> {
  const notes: string[] = [];
  const open = await openTiers(bench, notes);
  try {
    const requests = bench.request === undefined ? usualRequests((open[0] as Open).room.description) : [bench.request];
    if (requests.length === 0)
      throw new BulkheadError('options', 'the module exports no handleSampling, handleElicitation or listRoots');
    const tables: Table[] = [];
    const charts: Chart[] = [];
    for (const request of requests) {
      const { table, charts: drawn, note } = await measureRequest(prepare(request), request.method, open, bench);
      tables.push(table);
      charts.push(...drawn);
      if (note !== undefined) notes.push(note);
    }
    return { tables, charts, goals: [], notes };
  } finally {
    await Promise.all(open.map(({ room }) => room.close('kill')));
  }
}

async function openTiers({ handler, tiers, progress }: HandlerBench, notes: string[]): Promise<Open[]> {
  const open: Open[] = [];
  for (const tier of [...tiers].sort(inlineLast)) {
    progress(`loading the module in tier ${tier}`);
    try {
      const settings = await settingsFor(tier, handler);
      const room = await createIsolation(settings);
      open.push({ tier, settings, room });
    } catch (error) {
      if (tier === 'inline' || tier === 'thread') {
        await Promise.all(open.map(({ room }) => room.close('kill')));
        throw error;
      }
      notes.push(`${tier} was not measured: ${failureOf(error).line}`);
    }
  }
  return open.sort((one, other) => tiers.indexOf(one.tier) - tiers.indexOf(other.tier));
}

/** What hangs, spins or exits shows it in a thread, where it can be ended; inline it would take the measurement with it. */
function inlineLast(one: Tier, other: Tier): number {
  return Number(one === 'inline') - Number(other === 'inline');
}

async function measureRequest(
  measured: Measured,
  method: string,
  open: readonly Open[],
  { progress, seconds }: HandlerBench,
): Promise<{ table: Table; charts: BarChart[]; note: string | undefined }> {
  const note = await firstLook(measured, method, open);
  const compared = await compareWarm(measured, method, open, seconds, progress);
  const cold = new Map<Tier, number>();
  const killed = new Map<Tier, number>();
  for (const { room, settings, tier } of open) {
    progress(`${method}: cold start and kill in tier ${tier}`);
    cold.set(tier, await repeat(() => coldStart(settings, measured)));
    if (tier !== 'inline') killed.set(tier, await repeat(() => afterKill(room, measured)));
  }
  return { table: tableOf(method, compared, cold, killed), charts: chartsOf(method, compared, cold, killed), note };
}

/** Runs once in each tier; an answer that the guards would refuse is told, and measured all the same. */
async function firstLook({ asked, task }: Measured, method: string, open: readonly Open[]): Promise<string | undefined> {
  let note: string | undefined;
  for (const { room, tier } of [...open].sort((one, other) => inlineLast(one.tier, other.tier))) {
    const outcome = await settle(room.run(task));
    expectAnswer(outcome, `${method} in tier ${tier}`);
    if (outcome.type !== 'returned') continue;
    const verdict = release(outcome.value, asked);
    if (!verdict.ok) note = `${method}: the answer guard would refuse what the callback returned: ${verdict.reason}`;
  }
  return note;
}

async function settle(run: Run): Promise<Outcome> {
  const timer = setTimeout(() => run.kill('timeout'), patience);
  const outcome = await run.outcome;
  clearTimeout(timer);
  return outcome;
}

function expectAnswer(outcome: Outcome, where: string): void {
  if (outcome.type === 'returned' || outcome.type === 'refused') return;
  throw new BulkheadError('input_handler', `the callback failed for ${where}: ${end(outcome)}`);
}

function end(outcome: Outcome): string {
  if (outcome.type === 'crashed') return `${outcome.fault.name}: ${outcome.fault.message}`;
  return outcome.type === 'killed' ? `killed, ${outcome.reason}` : outcome.type;
}

// ---- warm ---------------------------------------------------------------------------------------------------------------

async function compareWarm(
  measured: Measured,
  method: string,
  open: readonly Open[],
  seconds: number,
  progress: Progress,
): Promise<Compared> {
  const call = (room: Isolation) => (): Promise<Outcome> => room.run(measured.task).outcome;
  const check = (outcome: unknown): boolean => ['returned', 'refused'].includes((outcome as Outcome).type);
  const cases: Case[] = open.map(({ room, tier }) => ({ name: tier, open: () => ({ call: call(room) }), check }));
  const each = await repeat(() => timed(call((open.at(-1) as Open).room)));
  const samples = Math.round(Math.min(300, Math.max(1, (seconds * 1000) / (rounds * cases.length * each))));
  return compare({ name: method, baseline: (open[0] as Open).tier, cases, rounds, samples, progress });
}

async function timed(action: () => Promise<unknown>): Promise<number> {
  const before = performance.now();
  await action();
  return performance.now() - before;
}

// ---- cold, and after a kill -----------------------------------------------------------------------------------------------

/** The median of a few trials, in ms. */
async function repeat(trial: () => Promise<number>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < repeats; turn++) times.push(await trial());
  return median(times);
}

async function coldStart(settings: IsolationSettings, { task }: Measured): Promise<number> {
  let room: Isolation | undefined;
  const time = await timed(async () => {
    room = await createIsolation(settings);
    expectAnswer(await room.run(task).outcome, 'a cold start');
  });
  await room?.close('kill');
  return time;
}

/** Kills a callback that has just been handed over, and times the next one. A spare stands ready, as in steady state. */
async function afterKill(room: Isolation, { task }: Measured): Promise<number> {
  await standBy(room, 2);
  const run = room.run(task);
  run.kill('cancelled');
  await run.outcome;
  return timed(async () => expectAnswer(await room.run(task).outcome, 'the call after a kill'));
}

// ---- told ---------------------------------------------------------------------------------------------------------------

type ByTier = ReadonlyMap<Tier, number>;

function tableOf(method: string, compared: Compared, cold: ByTier, killed: ByTier): Table {
  const row = (figures: Figures): Cell[] => [
    figures.name,
    figures.p50,
    figures.p99,
    figures.perSecond,
    figures.processor,
    figures.ratio === undefined ? '1x' : ratio(figures.ratio),
    cold.get(figures.name as Tier) ?? null,
    killed.get(figures.name as Tier) ?? null,
  ];
  return {
    title: method,
    columns: ['tier', 'p50 us', 'p99 us', 'calls/s', 'CPU us', `to ${compared.baseline}`, 'cold ms', 'killed ms'],
    rows: compared.figures.map(row),
    note: `${compared.rounds} interleaved rounds of ${(compared.figures[0]?.calls ?? 0) / compared.rounds} calls, one at a time, without wire and guards; cold: from nothing to a first answer; killed: the next answer after a kill (medians of ${repeats}); CPU: of the main thread, a call, by ${compared.processorSource}.`,
  };
}

function chartsOf(method: string, compared: Compared, cold: ByTier, killed: ByTier): BarChart[] {
  const bars = (values: readonly (readonly [string, number])[]): BarChart['bars'] =>
    values.map(([name, value]) => ({ name, value, ours: name !== 'inline' }));
  const warm = compared.figures.map(({ name, p50 }) => [name, p50] as const);
  return [
    { type: 'bars', title: `${method}, warm`, unit: 'us, median', scale: 'log', bars: bars(warm) },
    { type: 'bars', title: `${method}, from nothing to a first answer`, unit: 'ms, median', scale: 'log', bars: bars([...cold]) },
    { type: 'bars', title: `${method}, the next answer after a kill`, unit: 'ms, median', scale: 'log', bars: bars([...killed]) },
  ];
}
