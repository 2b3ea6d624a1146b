import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report } from '../../src/cli/measure/answer.js';
import { openCharts } from '../../src/cli/measure/chart.js';
import { judge, judgeEstimate } from '../../src/cli/measure/goal.js';
import { describeMachine } from '../../src/cli/measure/machine.js';
import { asMarkdown } from '../../src/cli/measure/markdown.js';
import { asPage } from '../../src/cli/measure/page.js';
import { bytes, number } from '../../src/cli/measure/spelling.js';
import { estimate } from '../../src/cli/measure/statistics.js';

const limit = { what: 'a call', goal: '<= 1.25x', limit: 1.25, must: 'stay below', unit: 'x' } as const;

test('a goal is met, missed, or open where the interval straddles the limit', () => {
  const around = (value: number) => estimate(Array.from({ length: 15 }, (_, at) => value + (at - 7) * 0.02));
  assert.equal(judgeEstimate(limit, around(1)).verdict, 'met');
  assert.equal(judgeEstimate(limit, around(1.5)).verdict, 'missed');
  assert.equal(judgeEstimate(limit, around(1.24)).verdict, 'open');
  assert.equal(judge({ ...limit, must: 'reach', limit: 100_000 }, 99_999).verdict, 'missed');
});

test('numbers keep three digits, sizes their unit', () => {
  const rows: [number, string][] = [
    [0, '0'],
    [0.000123, '0.00012'],
    [1.5, '1.5'],
    [23.456, '23.5'],
    [100, '100'],
    [1_234_567, '1 234 567'],
    [Number.NaN, '–'],
  ];
  for (const [value, text] of rows) assert.equal(number(value), text);
  assert.equal(bytes(1536), '1.5 KB');
});

const report: Report = {
  title: 'Costs <b>',
  machine: describeMachine(),
  smoke: false,
  seconds: 3,
  sections: [
    {
      name: 'overhead',
      title: 'Overhead',
      seconds: 3,
      tables: [{ title: 'T', columns: ['', 'us'], rows: [['a|b <i>', 1234.5]] }],
      charts: [
        { type: 'bars', title: 'Bars', unit: 'us', scale: 'log', bars: [{ name: 'a<b', value: 3, ours: true }] },
        {
          type: 'lines',
          title: 'Lines',
          x: 'n',
          y: 'us',
          scale: 'log',
          lines: [
            {
              name: 'thread',
              points: [
                [1, 2],
                [10, 30],
              ],
            },
          ],
        },
      ],
      goals: [judge(limit, 1)],
      notes: ['flat'],
    },
  ],
};

test('a report becomes Markdown, with cells that cannot break the table', () => {
  const text = asMarkdown(report);
  assert.match(text, /\| a call \| <= 1\.25x \| 1x \| met \|/);
  assert.match(text, /\| a\\\|b <i> \| 1 235 \|/);
});

test('a report becomes one page without script or request, its charts inline and coloured by variables', async () => {
  const page = asPage(report, await openCharts());
  assert.equal(page.match(/<svg /g)?.length, 2);
  assert.doesNotMatch(page, /<script|<link|src=|@import|<b>|<i>/);
  assert.match(page, /fill="var\(--ours\)"/);
  assert.match(page, /prefers-color-scheme: dark/);
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  assert.equal(new Set(ids).size, ids.length, 'ids of two charts meet');
});
