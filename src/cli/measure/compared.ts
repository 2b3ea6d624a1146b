/** A comparison as a table and as a chart. */
import type { BarChart, Cell, Table } from './answer.js';
import type { Compared, Figures } from './compare.js';
import { ratio } from './spelling.js';

export function comparedTable(compared: Compared, title: string = compared.name): Table {
  return {
    title,
    columns: ['', 'best us', 'p50 us', 'p99 us', 'calls/s', `main CPU us`, `to ${compared.baseline}`, 'reading', 'calls'],
    rows: compared.figures.map(row),
    note: `${compared.rounds} interleaved rounds; ratio of ${measureOf(compared)} within a round, median and 95 % interval over the rounds; main-thread CPU by ${compared.processorSource}.`,
  };
}

function row(figures: Figures): Cell[] {
  const { best, calls, name, p50, p99, perSecond, processor } = figures;
  const reading = figures.relation === undefined ? 'baseline' : readings[figures.relation];
  return [name, best, p50, p99, perSecond, processor, figures.ratio === undefined ? '1x' : ratio(figures.ratio), reading, calls];
}

const readings: { readonly [relation in NonNullable<Figures['relation']>]: string } = {
  less: 'faster',
  more: 'slower',
  'inside the noise': 'inside the noise',
};

const measureOf = ({ lanes }: Compared): string => (lanes > 1 ? 'wall times a call' : 'median latencies');

/** Median latencies, or wall time a call where several are in flight; ours marked by `ours`. */
export function comparedChart(compared: Compared, ours: (name: string) => boolean, title: string = compared.name): BarChart {
  const value = ({ p50, perSecond }: Figures): number => (compared.lanes > 1 ? 1e6 / perSecond : p50);
  const bars = compared.figures.map((figures) => ({ name: figures.name, value: value(figures), ours: ours(figures.name) }));
  const values = bars.map(({ value }) => value);
  const scale = Math.max(...values) > 20 * Math.min(...values) ? 'log' : 'linear';
  return { type: 'bars', title, unit: compared.lanes > 1 ? 'us of wall time a call' : 'us, median', scale, bars };
}

/** The figures of one case; throws if there is none of that name. */
export function figuresOf(compared: Compared, name: string): Figures {
  const found = compared.figures.find((figures) => figures.name === name);
  if (found === undefined) throw new Error(`${compared.name}: no case is named "${name}"`);
  return found;
}
