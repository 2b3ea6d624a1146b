import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runnerLimits } from '../../src/contract/messages.js';
import { encode, maxDepth, nestsTooDeep, overflows } from '../../src/contract/plain.js';
import { pointer } from '../../src/contract/pointer.js';

const { bytes } = runnerLimits;

const cycle: { self?: unknown } = {};
cycle.self = cycle;
const revoked = Proxy.revocable({}, {});
revoked.revoke();
class Person {
  name = 'x';
}

/** What a callback may return by mistake or malice, where the fault is, and what the host reads about it. */
const faults: readonly [name: string, value: unknown, path: string, found: RegExp][] = [
  ['a function', { a: { f: () => 1 } }, '/a/f', /a function/],
  ['a symbol', { a: [1, Symbol('x')] }, '/a/1', /a symbol/],
  ['a BigInt', { n: 1n }, '/n', /a bigint/],
  ['NaN', { n: [Number.NaN] }, '/n/0', /the number NaN/],
  ['Infinity', Number.POSITIVE_INFINITY, '', /the number Infinity/],
  ['a Map', { m: new Map() }, '/m', /class Map/],
  ['a Set', { m: new Set() }, '/m', /class Set/],
  ['a Date', { when: new Date(0) }, '/when', /class Date/],
  ['an error', { e: new Error('x') }, '/e', /class Error/],
  ['bytes', { b: new Uint8Array(4) }, '/b', /class Uint8Array/],
  ['a promise', { p: Promise.resolve(1) }, '/p', /class Promise/],
  ['an instance of a class', [new Person()], '/0', /class Person/],
  ['a boxed string', { s: Object('x') }, '/s', /class String/],
  ['a cycle', cycle, '/self'.repeat(maxDepth), /levels/],
  ['undefined in an array', { a: [undefined] }, '/a/0', /undefined/],
  ['a hole in an array', Object.assign([1], { 2: 3 }), '/1', /undefined/],
  ['an own __proto__ key', JSON.parse('{"a":{"__proto__":{"x":1}}}'), '/a/__proto__', /prototype/],
  [
    'a getter that throws',
    {
      get a() {
        throw new Error('no');
      },
    },
    '/a',
    /throws/,
  ],
  ['a revoked proxy', { p: revoked.proxy }, '/p', /throws/],
  [
    'a proxy whose keys throw',
    {
      p: new Proxy(
        {},
        {
          ownKeys: () => {
            throw 1;
          },
        },
      ),
    },
    '/p',
    /throws/,
  ],
];

for (const [name, value, path, found] of faults) {
  test(`B8: ${name} is no plain data, and the fault says where`, () => {
    const encoded = encode(value, bytes);
    assert.ok(!encoded.ok);
    assert.equal(encoded.reason, 'plain');
    assert.equal(encoded.path, path);
    assert.match(encoded.found, found);
  });
}

test('B8: a string of a quarter gigabyte is refused by its length, before it is copied', () => {
  const encoded = encode({ text: ['x'.repeat(2 ** 28)] }, bytes);
  assert.ok(!encoded.ok);
  assert.deepEqual([encoded.reason, encoded.path], ['size', '/text/0']);
});

test('B8: an array that claims to be endless is refused at once', () => {
  const endless = new Proxy([], { get: (target, key) => (key === 'length' ? 2 ** 32 - 1 : (Reflect.get(target, key) ?? 0)) });
  const encoded = encode(endless, 1000);
  assert.ok(!encoded.ok);
  assert.equal(encoded.reason, 'size');
});

test('B8: sizes are UTF-8 bytes of JSON: one more than the cap is refused, the cap itself passes', () => {
  const fits = 'ä'.repeat(10);
  assert.ok(encode(fits, 22).ok);
  assert.ok(!encode(fits, 21).ok);
  assert.ok(overflows('€€', 5));
  assert.ok(!overflows('€€', 6));
});

test('properties that are undefined are left out, as JSON does; undefined itself has no text', () => {
  assert.deepEqual(encode({ a: undefined, b: 1 }, bytes), { ok: true, json: '{"b":1}' });
  assert.deepEqual(encode(undefined, bytes), { ok: true, json: undefined });
});

test('objects without a prototype and of another realm are plain', () => {
  const bare: { [key: string]: unknown } = Object.create(null);
  bare.a = 1;
  assert.deepEqual(encode({ bare }, bytes), { ok: true, json: '{"bare":{"a":1}}' });
});

test('a toJSON of the callback is a function like any other', () => {
  assert.ok(!encode({ toJSON: () => 'forged' }, bytes).ok);
});

test('every property is read once', () => {
  let reads = 0;
  const encoded = encode(
    {
      get a() {
        return ++reads;
      },
    },
    bytes,
  );
  assert.deepEqual(encoded, { ok: true, json: '{"a":1}' });
});

test('what JSON can hold comes back the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      fc.pre(!text.includes('"__proto__"'));
      const encoded = encode(value, bytes);
      assert.deepEqual(encoded, { ok: true, json: text });
    }),
    { numRuns: 300 },
  );
});

test('no value at all makes it throw', () => {
  fc.assert(
    fc.property(
      fc.anything({
        withBigInt: true,
        withDate: true,
        withMap: true,
        withSet: true,
        withTypedArray: true,
        withSparseArray: true,
      }),
      (value) => {
        const encoded = encode(value, 10_000);
        if (encoded.ok && encoded.json !== undefined) JSON.parse(encoded.json);
      },
    ),
    { numRuns: 300 },
  );
});

test('a pointer escapes as RFC 6901 says, and cuts keys that are too long to read', () => {
  assert.equal(pointer('a/b', 'c~d', 0), '/a~1b/c~0d/0');
  assert.equal(pointer('x'.repeat(500)).length, 201);
});

test('levels of JSON text are counted past whatever its strings hold', () => {
  const nasty = fc.array(fc.constantFrom('"', '\\', '[', '{', ']', 'a', '\\"'), { maxLength: 30 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.integer({ min: 195, max: 205 }), fc.array(nasty, { maxLength: 5 }), (levels, texts) => {
      let value: unknown = texts;
      for (let level = 1; level < levels; level++) value = level % 2 === 0 ? [value] : { [texts[0] ?? 'key']: value };
      assert.equal(nestsTooDeep(JSON.stringify([value])), levels + 1 > maxDepth);
    }),
    { numRuns: 500 },
  );
});
