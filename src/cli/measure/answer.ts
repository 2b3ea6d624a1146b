/**
 * What a measurement has to say, as plain data: tables, charts, goals and sentences. It is written as JSON, and drawn as
 * Markdown and as a page by files that know nothing of how it was measured.
 */
import type { Machine } from './machine.js';

export type Cell = string | number | null;

export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  /** The first cell names the row; numbers are aligned right and shortened when drawn, never in the JSON. */
  readonly rows: readonly (readonly Cell[])[];
  readonly note?: string;
}

/** One bar per name, on one scale. */
export interface BarChart {
  readonly type: 'bars';
  readonly title: string;
  readonly unit: string;
  readonly scale: 'linear' | 'log';
  readonly bars: readonly { readonly name: string; readonly value: number; readonly ours: boolean }[];
  readonly note?: string;
}

/** Lines over a common x, for the shape of growth. */
export interface LineChart {
  readonly type: 'lines';
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly scale: 'linear' | 'log';
  readonly lines: readonly { readonly name: string; readonly points: readonly (readonly [x: number, y: number])[] }[];
  readonly note?: string;
}

export type Chart = BarChart | LineChart;

export type Verdict = 'met' | 'missed' | 'open';

export interface Goal {
  /** What is measured, in the words of the design. */
  readonly what: string;
  readonly goal: string;
  readonly measured: string;
  /** `open`: the interval straddles the limit, so this run cannot tell. */
  readonly verdict: Verdict;
  readonly note?: string;
}

export interface Answer {
  readonly tables: readonly Table[];
  readonly charts: readonly Chart[];
  readonly goals: readonly Goal[];
  /** Sentences: what the figures mean, and the shapes of growth. */
  readonly notes: readonly string[];
}

/** One question with its answer, as the runner collects it. */
export interface Section extends Answer {
  readonly name: string;
  readonly title: string;
  readonly seconds: number;
  readonly failure?: string;
}

export interface Report {
  readonly title: string;
  readonly machine: Machine;
  /** A smoke run shows that everything runs; its figures mean nothing. */
  readonly smoke: boolean;
  readonly seconds: number;
  readonly sections: readonly Section[];
}
