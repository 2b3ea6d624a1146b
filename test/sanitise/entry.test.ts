import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Json } from '../../src/contract/handler.js';
import { cleanEntry, cleanImplementation, cleanNotification } from '../../src/sanitise/entry.js';
import { fastest } from '../support/fastest.js';

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

function nest(levels: number): Json {
  let value: Json = 'core';
  for (let level = 0; level < levels; level++) value = { in: value };
  return value;
}

function depth(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map((inner) => depth(inner)));
}

function nodes(value: Json): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + nodes(inner), 1);
}

test('B53: level, logger and data are kept, everything else is left out', () => {
  const entry = cleanEntry({ level: 'error', logger: 'db', data: { n: 1 }, _meta: { a: 1 }, extra: true });
  assert.deepEqual(entry, { level: 'error', logger: 'db', data: { n: 1 } });
  assert.deepEqual(cleanEntry({ level: 'debug', data: 'x' }), { level: 'debug', data: 'x' });
  assert.deepEqual(cleanEntry({ level: 'debug', logger: 7, data: 'x' }), { level: 'debug', data: 'x' });
});

test('B53: a level outside the eight of RFC 5424 is info', () => {
  for (const level of ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
    assert.equal(cleanEntry({ level, data: 1 }).level, level);
  for (const level of ['trace', 'ERROR', '', null, 3, undefined, '__proto__', {}])
    assert.equal(cleanEntry({ level, data: 1 }).level, 'info');
});

test('B53: strings go through the text rule with their own lengths', () => {
  const entry = cleanEntry({ level: 'info', logger: 'l'.repeat(500), data: { [`k${'k'.repeat(500)}`]: 'd'.repeat(9000) } });
  assert.equal(entry.logger?.length, 200);
  const [[key, value]] = Object.entries(entry.data as Record<string, string>) as [[string, string]];
  assert.equal(key.length, 200);
  assert.equal(value.length, 4096);
});

test('B53: nesting below 16 levels is cut', () => {
  assert.equal(depth(cleanEntry({ data: nest(16) }).data), 16);
  assert.deepEqual(cleanEntry({ data: nest(16) }).data, nest(16));
  assert.equal(depth(cleanEntry({ data: nest(17) }).data), 16);
  assert.equal(depth(cleanEntry({ data: nest(10_000) }).data), 16);
});

test('B53: at most 10 000 nodes are kept', () => {
  const kept = cleanEntry({ data: Array.from({ length: 20_000 }, (_, index) => index) }).data as number[];
  assert.equal(kept.length, 9_999, 'and the array itself');
  assert.equal(kept.at(-1), 9_998, 'the first ones, in order');
});

test('B53: an entry has at most 256 KiB of JSON', () => {
  const many = Array.from({ length: 5_000 }, () => '"漢\\'.repeat(40));
  const entry = cleanEntry({ level: 'emergency', logger: '"'.repeat(200), data: many });
  assert.ok(bytes(entry) <= 256 * 1024);
  assert.ok(bytes(entry) > 240 * 1024, 'and is filled up to there');
});

test('B53: property: every entry is bounded, plain and clean, and cleaning it again changes nothing', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 20, withNullPrototype: true }), fc.string({ unit: 'binary' }), (data, logger) => {
      const entry = cleanEntry({ level: 'info', logger, data });
      assert.ok(depth(entry.data) <= 16 && nodes(entry.data) <= 10_000 && bytes(entry) <= 256 * 1024);
      assert.deepEqual(JSON.parse(JSON.stringify(entry)), entry);
      assert.deepEqual(cleanEntry(entry), entry);
      assert.doesNotMatch(JSON.stringify(entry), /\\u00[01]|[\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|\\ud[89a-f]/);
    }),
    { numRuns: 500 },
  );
});

test('B53: nothing that is sent makes cleaning throw', () => {
  for (const params of [undefined, null, 1, 'x', [], () => 1])
    assert.deepEqual(cleanEntry(params), { level: 'info', data: null });
  fc.assert(
    fc.property(fc.anything(), (params) => typeof cleanEntry(params) === 'object'),
    { numRuns: 500 },
  );
  const hostile = new Proxy({}, { get: () => assert.fail('read') });
  assert.deepEqual(cleanEntry(hostile), { level: 'info', data: null });
});

test('B53: numbers that JSON cannot carry are null, and there is no negative zero', () => {
  const { data } = cleanEntry(JSON.parse('{"data":[1e400,-1e400,-0,1.5]}'));
  assert.deepEqual(data, [null, null, 0, 1.5]);
});

test('B53: a key like __proto__ is a plain own key, and the first of two keys that read alike stays', () => {
  const { data } = cleanEntry(JSON.parse('{"data":{"__proto__":{"a":1},"k":1,"k\\u0007":2,"constructor":3}}'));
  assert.ok(Object.hasOwn(data as object, '__proto__'));
  assert.equal(Object.getPrototypeOf(data), Object.prototype);
  assert.equal(JSON.stringify(data), '{"__proto__":{"a":1},"k":1,"constructor":3}');
});

test('case 99: the same holds inside loggers, nested objects and keys, and the structure is kept', () => {
  const entry = cleanEntry({ level: 'info', logger: 'a\u001b[2J', data: { 'k\u001b[0m': [{ x: 'x\r\n[ERROR] forged' }] } });
  assert.deepEqual(entry, { level: 'info', logger: 'a[2J', data: { 'k[0m': [{ x: 'x [ERROR] forged' }] } });
});

test('case 100: a text of 5 MB and an object 10 000 levels deep cost next to nothing', () => {
  const [large, deep] = ['漢'.repeat(5_000_000), nest(10_000)];
  assert.ok(fastest(() => cleanEntry({ data: large })) < 5);
  assert.ok(fastest(() => cleanEntry({ data: deep })) < 5);
});

test('B53: an entry full of texts that only the segmenter can cut is cleaned in bounded time, and cleaning it again changes nothing', () => {
  const awkward = Array.from({ length: 40 }, () => 'क्ष\u0600a'.repeat(3000));
  const entry = cleanEntry({ data: awkward });
  assert.ok(fastest(() => cleanEntry({ data: awkward })) < 40);
  assert.deepEqual(cleanEntry(entry), entry);
  for (const text of entry.data as string[]) assert.ok(text.length > 1000 && !/\p{Cs}/u.test(text));
});

test('B54: other notifications keep shape, ids and URIs, and lose unsafe code points', () => {
  const params = { progressToken: 0, progress: 1, message: 'a\u001b[2Jb\nc', uri: `file:///${'x'.repeat(9000)}` };
  assert.deepEqual(cleanNotification(params), { ...params, message: 'a[2Jb\nc' });
  assert.equal(cleanNotification(undefined), undefined);
  assert.equal(cleanNotification([1]), undefined);
  assert.equal(cleanNotification('x'), undefined);
});

test('B54: other notifications are bounded too', () => {
  const kept = cleanNotification({ a: nest(40), b: Array.from({ length: 30_000 }, () => 'x'.repeat(20)) });
  assert.ok(kept !== undefined && depth(kept) <= 16 && nodes(kept) <= 10_000 && bytes(kept) <= 256 * 1024);
});

test('B53, B54: a text or key that cannot fit is not read', () => {
  const huge = '\u202e'.repeat(20_000_000);
  assert.ok(fastest(() => cleanNotification({ uri: huge, a: 1 })) < 5);
  assert.ok(fastest(() => cleanNotification({ [huge]: 1 })) < 5);
  assert.deepEqual(cleanNotification({ a: 1, uri: huge, b: 2 }), { a: 1 });
});

test('B56, case 99: what a server says about itself is bounded and loses what could fool its reader', () => {
  const icons = [{ src: `data:image/png;base64,${'A'.repeat(20_000)}` }];
  const said = {
    name: 'a\u001b[2Jb\r\n[ERROR] forged',
    version: '1\u202e',
    title: 'T\u0007',
    websiteUrl: 'https://x.example/',
    icons,
  };
  const kept = { name: 'a[2Jb [ERROR] forged', version: '1', title: 'T', websiteUrl: 'https://x.example/', icons };
  assert.deepEqual(cleanImplementation(said), kept);
  assert.deepEqual(cleanImplementation({ name: 'n', version: '1', title: 7 }), { name: 'n', version: '1' });
  for (const none of [null, 'x', [], { name: 'n' }, { name: 7, version: '1' }, { name: 'x'.repeat(20_000_000), version: '1' }])
    assert.equal(cleanImplementation(none), null);
  const wide = cleanImplementation({ name: 'n', version: '1', more: Array.from({ length: 300_000 }, () => 'x'.repeat(20)) });
  assert.ok(wide !== null && bytes(wide) <= 256 * 1024);
});
