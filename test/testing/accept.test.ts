import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import type { FormSchema } from '../../src/contract/handler.js';
import { autoAcceptHandler } from '../../src/testing/index.js';
import { minimalContent } from '../../src/testing/minimal.js';

const form = (properties: FormSchema['properties'], required: readonly string[] = Object.keys(properties)): FormSchema => ({
  type: 'object',
  properties,
  required,
});

test('a field with a default gets it, falsy ones too, and an optional one without is left out', () => {
  const schema = form({ a: { type: 'string', default: '' }, b: { type: 'boolean', default: false }, c: { type: 'string' } }, []);
  assert.deepEqual(minimalContent(schema), { a: '', b: false });
});

for (const [what, field, expected] of [
  ['a string', { type: 'string' }, ''],
  ['a bounded string', { type: 'string', minLength: 20 }, 'a'.repeat(20)],
  ['an address', { type: 'string', format: 'email' }, 'a@example.com'],
  ['a day', { type: 'string', format: 'date' }, '2026-07-28'],
  ['a pattern', { type: 'string', pattern: '^[A-Z][0-9]$' }, 'A1'],
  ['an enum', { type: 'string', enum: ['x', 'y'] }, 'x'],
  ['a titled enum', { type: 'string', oneOf: [{ const: 'lo', title: 'Low' }] }, 'lo'],
  ['a multi-select', { type: 'array', items: { type: 'string', enum: ['r', 'g', 'b'] }, minItems: 2 }, ['r', 'g']],
  ['a titled multi-select', { type: 'array', items: { anyOf: [{ const: 'r', title: 'R' }] }, minItems: 1 }, ['r']],
  ['a free multi-select', { type: 'array', items: { type: 'string', enum: ['r'] } }, []],
  ['a boolean', { type: 'boolean' }, false],
  ['a number', { type: 'number' }, 0],
  ['a number from 1.5', { type: 'number', minimum: 1.5 }, 1.5],
  ['an open interval', { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 0.5],
  ['an integer above 5', { type: 'integer', exclusiveMinimum: 5, maximum: 6 }, 6],
  ['an integer below -2', { type: 'integer', exclusiveMaximum: -2 }, -3],
  ['an integer between fractions', { type: 'integer', minimum: 1.2, maximum: 2.4 }, 2],
  ['a step', { type: 'number', minimum: 1, multipleOf: 0.75 }, 1.5],
  ['an integer in hundredths', { type: 'integer', exclusiveMinimum: 1, multipleOf: 0.01 }, 2],
  ['an enum, of which the guard takes the second', { type: 'integer', enum: [0.5, 1] }, 1],
  ['a pattern that is an annotation', { type: 'string', pattern: '(?i)A', minLength: 1 }, 'a'],
  ['an enum of numbers', { type: 'integer', enum: [3, 4] }, 3],
] as const) {
  test(`the smallest value of ${what} is ${JSON.stringify(expected)}`, () => {
    assert.deepEqual(minimalContent(form({ field })), { field: expected });
  });
}

test('a field that no guess fits is named', () => {
  assert.throws(() => minimalContent(form({ plate: { type: 'string', pattern: '^K-[A-Z]{2} 4711$' } })), /"plate"/);
  // On an engine that tries every way there is, this one would take for ever.
  assert.throws(() => minimalContent(form({ slow: { type: 'string', pattern: '^(a+)+!$', minLength: 60 } })), /"slow"/);
  assert.throws(() => minimalContent(form({ n: { type: 'integer', minimum: 1.1, maximum: 1.9 } })), /"n"/);
});

test('the module says on stderr, and nowhere else, that it is for tests', () => {
  const script = `import(${JSON.stringify(autoAcceptHandler.href)})`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { encoding: 'utf8' });
  assert.equal(stdout, '');
  assert.match(stderr, /ACCEPTS EVERYTHING and is for tests only/);
});

test('the module exports what a host may be asked, and accepts', () => {
  const script = `import(${JSON.stringify(autoAcceptHandler.href)}).then((m) => console.log(JSON.stringify([
    m.elicitationModes, m.handleElicitation({ mode: 'url' }), m.handleElicitation({ mode: 'form', requestedSchema: { type: 'object', properties: {} } }),
    m.handleSampling(), m.listRoots()])))`;
  const said: unknown = JSON.parse(
    execFileSync(process.execPath, ['-e', script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
  );
  assert.deepEqual(said, [
    ['form', 'url'],
    { action: 'accept' },
    { action: 'accept', content: {} },
    { role: 'assistant', content: { type: 'text', text: 'auto' }, model: 'auto' },
    { roots: [] },
  ]);
});
