/**
 * Interleaved comparison: in every round each case makes the same number of calls, in an order that rotates, so that
 * a slow second of a shared machine hurts all cases alike and ratios are taken within one round.
 *
 * Invariant: every answer is checked and counted; a case whose work was not done fails the whole comparison rather than
 * looking fast.
 */
import { performance } from 'node:perf_hooks';
import { openProcessor, type Processor } from './processor.js';
import type { Progress } from './progress.js';
import { type Estimate, median, pairedRatio, quantileOfSorted, type Relation, relation } from './statistics.js';

/** Something that can be called again and again. */
export interface Subject {
  /** One piece of work; it may answer now or later. */
  call(): unknown;
  close?(): Promise<void> | void;
}

export interface Case {
  readonly name: string;
  open(): Promise<Subject> | Subject;
  /** Whether an answer shows that the work was done. */
  check(answer: unknown): boolean;
}

export interface Comparison {
  readonly name: string;
  /** The case that the others are divided by. */
  readonly baseline: string;
  readonly cases: readonly Case[];
  readonly rounds: number;
  /** Timed samples a round, for each case. */
  readonly samples: number;
  /** Untimed samples at the start of each round, which wake threads and caches. Default: a tenth of `samples`, at least one. */
  readonly warmup?: number;
  /** How many calls are kept in flight. Default 1. */
  readonly lanes?: number;
  /** How many calls make one sample, for synchronous work that is shorter than the clock is fine. Default 1; excludes `lanes`. */
  readonly repeat?: number;
  readonly progress?: Progress;
}

export interface Figures {
  readonly name: string;
  /** Timed calls; the answer of every sample was checked. */
  readonly calls: number;
  /** Microseconds a call. */
  readonly best: number;
  readonly p50: number;
  readonly p99: number;
  /** Calls a second of wall time, all lanes together. */
  readonly perSecond: number;
  /** Main-thread processor microseconds a call, altogether and of each round. */
  readonly processor: number;
  readonly processors: readonly number[];
  /**
   * Of each round, for ratios between any two cases: the median latency in us, or, with several lanes, the wall time a call, since a
   * thread that serves one lane twice makes that lane's latency small and another's large.
   */
  readonly costs: readonly number[];
  /** Cost over the baseline's in the same round; absent for the baseline itself. */
  readonly ratio?: Estimate;
  readonly relation?: Relation;
}

export interface Compared {
  readonly name: string;
  readonly baseline: string;
  readonly rounds: number;
  readonly lanes: number;
  readonly processorSource: string;
  readonly figures: readonly Figures[];
}

/** What one case has gathered so far. */
interface Entry {
  readonly of: Case;
  readonly subject: Subject;
  readonly latencies: number[];
  readonly costs: number[];
  readonly processors: number[];
  wall: number;
  processor: number;
  calls: number;
}

export async function compare(comparison: Comparison): Promise<Compared> {
  const entries: Entry[] = [];
  const processor = openProcessor();
  try {
    for (const of of comparison.cases) entries.push(await openEntry(of));
    for (let round = 0; round < comparison.rounds; round++) {
      for (const [turn, entry] of rotated(entries, round).entries()) {
        comparison.progress?.(`${comparison.name}: round ${round + 1} of ${comparison.rounds}, ${turn + 1} of ${entries.length}`);
        await playRound(entry, comparison, processor);
      }
    }
  } finally {
    for (const { subject } of entries) await subject.close?.();
  }
  return summarise(comparison, entries, processor);
}

async function openEntry(of: Case): Promise<Entry> {
  return { of, subject: await of.open(), latencies: [], costs: [], processors: [], wall: 0, processor: 0, calls: 0 };
}

function rotated<T>(list: readonly T[], by: number): readonly T[] {
  const at = by % list.length;
  return [...list.slice(at), ...list.slice(0, at)];
}

async function playRound(entry: Entry, comparison: Comparison, processor: Processor): Promise<void> {
  const { samples, lanes = 1, repeat = 1 } = comparison;
  const warmup = comparison.warmup ?? Math.max(1, Math.ceil(samples / 10));
  await play(entry, warmup, lanes, repeat, []);
  const times: number[] = [];
  const cpuBefore = processor.read();
  const before = performance.now();
  await play(entry, samples, lanes, repeat, times);
  const wall = performance.now() - before;
  entry.wall += wall;
  const used = processor.read() - cpuBefore;
  entry.processor += used;
  entry.processors.push(used / (samples * repeat));
  entry.calls += samples * repeat;
  entry.costs.push(lanes > 1 ? (wall * 1000) / samples : median(times));
  for (const time of times) entry.latencies.push(time);
}

async function play(entry: Entry, samples: number, lanes: number, repeat: number, times: number[]): Promise<void> {
  if (repeat > 1) return playRepeated(entry, samples, repeat, times);
  let left = samples;
  const lane = async (): Promise<void> => {
    while (left-- > 0) {
      const before = performance.now();
      const answer = await entry.subject.call();
      times.push((performance.now() - before) * 1000);
      verify(entry.of, answer);
    }
  };
  await Promise.all(Array.from({ length: Math.min(lanes, samples) }, lane));
}

function playRepeated({ of, subject }: Entry, samples: number, repeat: number, times: number[]): void {
  for (let sample = 0; sample < samples; sample++) {
    const before = performance.now();
    let answer: unknown;
    for (let turn = 0; turn < repeat; turn++) answer = subject.call();
    times.push(((performance.now() - before) * 1000) / repeat);
    if (answer instanceof Promise) throw new Error(`${of.name}: only synchronous work can be repeated within one sample`);
    verify(of, answer);
  }
}

function verify(of: Case, answer: unknown): void {
  if (!of.check(answer)) throw new Error(`${of.name}: the work was not done (a wrong answer came back)`);
}

function summarise(comparison: Comparison, entries: readonly Entry[], processor: Processor): Compared {
  const { baseline, lanes = 1, name, rounds } = comparison;
  const base = entries.find(({ of }) => of.name === baseline);
  if (base === undefined) throw new Error(`${name}: no case is named "${baseline}"`);
  const figures = entries.map((entry) => figuresOf(entry, base));
  return { name, baseline, rounds, lanes, processorSource: processor.source, figures };
}

function figuresOf(entry: Entry, base: Entry): Figures {
  const sorted = [...entry.latencies].sort((a, b) => a - b);
  const figures = {
    name: entry.of.name,
    calls: entry.calls,
    best: sorted[0] ?? Number.NaN,
    p50: quantileOfSorted(sorted, 0.5),
    p99: quantileOfSorted(sorted, 0.99),
    perSecond: (entry.calls / entry.wall) * 1000,
    processor: entry.processor / entry.calls,
    processors: entry.processors,
    costs: entry.costs,
  };
  if (entry === base) return figures;
  const ratio = pairedRatio(entry.costs, base.costs);
  return { ...figures, ratio, relation: relation(ratio) };
}
