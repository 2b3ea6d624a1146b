import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packReply, type Reply, readFromRunner, readReply, runnerLimits } from '../../src/contract/messages.js';

const fault = { name: 'Error', message: 'x' };
const long = 'x'.repeat(runnerLimits.bytes + 1);

/** As many characters as are allowed, and twice as many bytes (behaviours 8 and 25). */
const wide = `"${'é'.repeat(runnerLimits.bytes - 2)}"`;

const levels = (count: number): string => `${'['.repeat(count)}${']'.repeat(count)}`;
const brackets = JSON.stringify({ text: `\\"${'[{'.repeat(500)}` });
const cyclic: { name: string; message: string; data?: unknown } = { name: 'x', message: 'y' };
cyclic.data = cyclic;

const replies: readonly [name: string, value: unknown, passes: boolean][] = [
  ['a result', { type: 'returned', json: '{}', state: undefined }, true],
  ['the bare text of a result', '{}', true],
  ['bare text that is too long', long, false],
  ['bare text of too many bytes', wide, false],
  ['bare text of as many levels as may be', levels(200).padEnd(500), true],
  ['bare text of too many levels', levels(201), false],
  ['bare text of brackets that are none', brackets, true],
  ['a state of too many levels', { type: 'returned', json: '1', state: levels(100_000) }, false],
  ['a refusal of too many levels', { type: 'refused', json: `{"code":1,"message":"x","data":${levels(1000)}}` }, false],
  ['a fault that is no plain data', { type: 'crashed', reason: 'threw', fault: cyclic }, false],
  ['a fault with more than it should', { type: 'crashed', reason: 'threw', fault: { ...fault, more: new Map() } }, false],
  ['a fault with deep data', { type: 'crashed', reason: 'threw', fault: { ...fault, data: JSON.parse(levels(200)) } }, true],
  ['a result that is no text', { type: 'returned', json: {}, state: undefined }, false],
  ['a result that is too long', { type: 'returned', json: long, state: undefined }, false],
  ['a result of too many bytes', { type: 'returned', json: wide, state: undefined }, false],
  ['a state of too many bytes', { type: 'returned', json: '1', state: wide }, false],
  ['a refusal of too many bytes', { type: 'refused', json: wide }, false],
  ['a state that is too long', { type: 'returned', json: '1', state: long }, false],
  ['a refusal', { type: 'refused', json: '{"code":1,"message":"x"}' }, true],
  ['a refusal without text', { type: 'refused' }, false],
  ['a crash', { type: 'crashed', reason: 'threw', fault }, true],
  ['a crash for a reason only the main thread knows', { type: 'crashed', reason: 'memory', fault }, false],
  ['a crash without a fault', { type: 'crashed', reason: 'threw' }, false],
  ['a fault whose message is an object', { type: 'crashed', reason: 'threw', fault: { name: 'x', message: {} } }, false],
  ['a description', { type: 'loaded', description: { callbacks: [], elicitationModes: ['form'] } }, true],
  ['a description of nonsense', { type: 'loaded', description: { callbacks: ['root'], elicitationModes: ['form'] } }, false],
  ['a type of its own', { type: 'other' }, false],
  ['null', null, false],
  ['undefined', undefined, false],
];

for (const [name, value, passes] of replies) {
  test(`${name} is ${passes ? 'a reply' : 'no reply'}`, () => {
    assert.equal(readReply(value, runnerLimits) !== undefined, passes);
  });
}

const travelling: readonly Reply[] = [
  { type: 'returned', json: '{"a":1}', state: undefined },
  { type: 'returned', json: undefined, state: undefined },
  { type: 'returned', json: '1', state: '2' },
  { type: 'refused', json: '{"code":1,"message":"x"}' },
  { type: 'crashed', reason: 'threw', fault },
  { type: 'skipped' },
];

for (const reply of travelling) {
  test(`what is read is what was packed: ${JSON.stringify(reply)}`, () => {
    assert.deepEqual(readReply(structuredClone(packReply(reply)), runnerLimits), reply);
  });
}

test('what most callbacks come to travels as bare text', () => {
  assert.equal(packReply({ type: 'returned', json: '{"a":1}', state: undefined }), '{"a":1}');
});

const messages: readonly [name: string, value: unknown, passes: boolean][] = [
  ['a host call', { type: 'call', run: 1, call: 1, name: 'ask', json: '1' }, true],
  ['a host call without data', { type: 'call', run: 1, call: 1, name: 'ask', json: undefined }, true],
  ['a host call with a number as name', { type: 'call', run: 1, call: 1, name: 1, json: '1' }, false],
  ['a host call that is too long', { type: 'call', run: 1, call: 1, name: 'ask', json: long }, false],
  ['a host call of too many bytes', { type: 'call', run: 1, call: 1, name: 'ask', json: wide }, false],
  ['a call given up', { type: 'drop', run: 1, call: 1 }, true],
  ['a line', { type: 'output', run: null, stream: 'stdout', line: 'x' }, true],
  ['a line that is too long', { type: 'output', run: 1, stream: 'stdout', line: 'x'.repeat(5000) }, false],
  ['a line for a stream of its own', { type: 'output', run: 1, stream: 'tty', line: 'x' }, false],
  ['a stray failure', { type: 'stray', run: 3, fault }, true],
  ['a stray failure of nobody', { type: 'stray', run: null, fault }, true],
  ['a failure outside the promise', { type: 'fell', run: 3, fault }, true],
  ['a reply where none is due', { type: 'returned', json: '1' }, false],
  ['a string', 'hello', false],
];

for (const [name, value, passes] of messages) {
  test(`${name} is ${passes ? 'foreseen' : 'a violation'}`, () => {
    assert.equal(readFromRunner(value, runnerLimits) !== undefined, passes);
  });
}

test('nothing that a thread can send makes the guards throw', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      readReply(value, runnerLimits);
      readFromRunner(value, runnerLimits);
    }),
    { numRuns: 300 },
  );
});
