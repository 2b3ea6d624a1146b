import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import picocolors from 'picocolors';
import { type Claim, renderClaims } from '../../src/cli/demo/claims.js';
import { milliseconds, renderRecords } from '../../src/cli/demo/table.js';
import type { InputRecord } from '../../src/journal.js';
import { recordingTerminal } from '../support/terminal.js';

const answered: InputRecord = {
  serverId: 'everything',
  era: 'legacy',
  kind: 'sampling',
  mode: undefined,
  requestId: 1,
  relatedRequestId: 2,
  request: undefined,
  stages: {
    capability: 'pass',
    duplicate: 'pass',
    concurrency: 'pass',
    budget: 'pass',
    guard: 'pass',
    callback: 'pass',
    answer: 'pass',
  },
  outcome: 'answered',
  code: undefined,
  reason: undefined,
  notes: [],
  fault: undefined,
  threadId: 4,
  times: { queued: 0.12, run: 3.4, total: 5 },
  deadline: 1,
};

const roundEntry: InputRecord = {
  ...answered,
  serverId: 'desk (http)',
  era: 'modern',
  kind: 'elicitation',
  mode: 'form',
  request: { method: 'tools/call', key: 'trip', round: 2 },
};

const refused: InputRecord = {
  ...answered,
  kind: 'elicitation',
  mode: 'url',
  stages: { ...answered.stages, guard: 'refused', callback: 'skipped', answer: 'skipped' },
  outcome: 'refused',
  code: -32602,
  reason: 'the URL must be https at /url',
  threadId: 0,
  times: { queued: 0, run: 0, total: 0.3 },
};

const killed: InputRecord = {
  ...answered,
  stages: { ...answered.stages, callback: 'timeout', answer: 'skipped' },
  outcome: 'killed',
  code: -32603,
  times: { queued: 0.2, run: 1000.4, total: 1001.6 },
};

function rowsOf(records: readonly InputRecord[]): string[] {
  return renderRecords(records, recordingTerminal())
    .split('\n')
    .map((line) => line.trim().replace(/ {2,}/g, '  '));
}

test('a record is one row: who, era, what, checks, thread, times, outcome', () => {
  const rows = rowsOf([answered, roundEntry]);
  assert.ok(rows.includes('1  everything  legacy  sampling  ✓✓✓✓✓✓✓  4  0.1 ms  3.4 ms  5.0 ms  answered'), rows.join('\n'));
  assert.ok(rows.includes('2  desk (http)  modern  form, round 2  ✓✓✓✓✓✓✓  4  0.1 ms  3.4 ms  5.0 ms  answered'));
});

test('what was refused or killed says which check stopped it, why, and the code', () => {
  const rows = rowsOf([refused, killed]);
  assert.ok(rows.includes('1  everything  legacy  url  ✓✓✓✓✗··  none  0.0 ms  0.0 ms  0.3 ms  refused'), rows.join('\n'));
  assert.ok(rows.includes('guard: the URL must be https at /url (code -32602)'));
  assert.ok(rows.includes('2  everything  legacy  sampling  ✓✓✓✓✓✗·  4  0.2 ms  1000 ms  1002 ms  killed'));
  assert.ok(rows.includes('callback: killed at its deadline (code -32603)'));
});

test('no line of the report is wider than the terminal, however long a reason is', () => {
  const long = { ...refused, reason: 'x'.repeat(500) };
  for (const line of renderRecords([long, answered, roundEntry], recordingTerminal()).split('\n'))
    assert.ok(line.length <= 100, `${line.length} columns: ${line}`);
});

test('a narrow terminal gets the total alone, and no line too wide', () => {
  const report = renderRecords([answered, refused, roundEntry], { ...recordingTerminal(), columns: 80 });
  assert.doesNotMatch(report, /queued/);
  assert.match(report, /total {2}outcome/);
  for (const line of report.split('\n').slice(2)) assert.ok(line.length <= 80, `${line.length} columns: ${line}`);
});

test('colours change nothing but colours', () => {
  const coloured = { ...recordingTerminal(), paint: picocolors.createColors(true) };
  const painted = renderRecords([answered, refused], coloured);
  assert.notEqual(painted, stripVTControlCharacters(painted));
  assert.equal(
    stripVTControlCharacters(painted).replaceAll(/ +$/gm, ''),
    renderRecords([answered, refused], recordingTerminal()).replaceAll(/ +$/gm, ''),
  );
});

test('a claim that does not hold has no tick', () => {
  const claims: Claim[] = [
    { text: 'it was killed', holds: true, fact: 'after 1003 ms' },
    { text: 'nothing was left', holds: false, fact: '2 threads' },
  ];
  assert.equal(
    renderClaims(claims, recordingTerminal()),
    '  ✓ it was killed\n    after 1003 ms\n  ✗ nothing was left\n    2 threads',
  );
});

test('times are spelled as a person reads them', () => {
  assert.deepEqual([0, 0.04, 9.94, 9.96, 12.4, 1003.6].map(milliseconds), [
    '0.0 ms',
    '0.0 ms',
    '9.9 ms',
    '10 ms',
    '12 ms',
    '1004 ms',
  ]);
});
