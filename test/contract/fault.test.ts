import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toFault } from '../../src/contract/fault.js';

test('B18: an error keeps name, message, stack, code and plain data', () => {
  const error = Object.assign(new RangeError('too far'), { code: 'E_FAR', data: { by: 3 } });
  const fault = toFault(error);
  assert.deepEqual([fault.name, fault.message, fault.code], ['RangeError', 'too far', 'E_FAR']);
  assert.deepEqual(fault.data, { by: 3 });
  assert.match(fault.stack ?? '', /fault\.test/);
});

test('a chain of causes is written below the stack, and ends', () => {
  const first = new Error('first');
  const second = new Error('second', { cause: first });
  assert.match(toFault(second).stack ?? '', /second[\s\S]*Caused by: Error: first/);
  first.cause = second;
  assert.ok((toFault(second).stack ?? '').length <= 16_384);
});

const thrown: readonly [name: string, value: unknown, message: RegExp][] = [
  ['undefined', undefined, /undefined/],
  ['null', null, /null/],
  ['a string', 'plain words', /plain words/],
  ['a symbol', Symbol('s'), /Symbol\(s\)/],
  ['a function', () => 1, /a function/],
  ['a number', 42, /42/],
  ['an object that is no error', { x: 1 }, /no error/],
  [
    'an error whose message throws',
    Object.defineProperty(new Error('x'), 'message', {
      get() {
        throw 1;
      },
    }),
    /no error/,
  ],
  ['an error whose message is no string', Object.defineProperty(new Error('x'), 'message', { value: 7 }), /no error/],
  [
    'a proxy that throws at everything',
    new Proxy(
      {},
      {
        get() {
          throw new Error('never');
        },
      },
    ),
    /no error/,
  ],
];

for (const [name, value, message] of thrown) {
  test(`B18: ${name} thrown is a fault like any other`, () => {
    const fault = toFault(value);
    assert.equal(typeof fault.name, 'string');
    assert.match(fault.message, message);
  });
}

test('what is thrown is cut: a message of a megabyte, a stack without end, data that is too large', () => {
  const error = Object.assign(new Error('m'.repeat(1e6)), { stack: 's'.repeat(1e6), data: 'd'.repeat(1e6) });
  const fault = toFault(error);
  assert.equal(fault.message.length, 4096);
  assert.equal(fault.stack?.length, 16_384);
  assert.equal(fault.data, undefined);
});
