import assert from 'node:assert/strict';
import { test } from 'node:test';
import { release } from '../../src/guards/guards.js';
import { accept, askUrl, form, passed, refused, revisions } from './given.js';

const internal = -32603;
const person = { name: { type: 'string' }, age: { type: 'integer', minimum: 0 } };

test('B47: the action is accept, decline or cancel', () => {
  const asked = form(person, ['name']);
  for (const said of [undefined, null, 'accept', [], {}, { action: 'reject' }, { action: 'ACCEPT' }, { action: null }, 42])
    refused(release(said, asked), internal);
  for (const said of [undefined, {}, { action: 'yes' }]) refused(release(said, passed(askUrl('https://a.example/'))), internal);
});

test('B47: an accepted form fits the schema exactly, without coercion or unknown keys', () => {
  const asked = form(person, ['name']);
  assert.deepEqual(passed(accept({ name: 'Alice', age: 42 }, asked)), { action: 'accept', content: { name: 'Alice', age: 42 } });
  refused(accept({ name: 'Alice', age: '42' }, asked), internal, '/content/age');
  refused(accept({ name: 'Alice', age: true }, asked), internal, '/content/age');
  refused(accept({ name: 'Alice', age: null }, asked), internal, '/content/age');
  refused(accept({ name: 'Alice', age: [1] }, asked), internal, '/content/age');
  for (const content of [null, 'x', [], 7]) refused(accept(content, asked), internal, '/content');
});

test('B47: missing content counts as {}', () => {
  assert.deepEqual(passed(accept(undefined, form(person))), { action: 'accept', content: {} });
  refused(accept(undefined, form(person, ['name'])), internal, '/content/name');
});

test('B47: nothing but action and content is sent', () => {
  const said = { action: 'accept', content: {}, _meta: { secret: 1 }, note: 'x' };
  assert.deepEqual(passed(release(said, form(person))), { action: 'accept', content: {} });
});

test('B47: lengths count code points', () => {
  const asked = form({ t: { type: 'string', minLength: 2, maxLength: 3 } });
  for (const t of ['ab', 'abc', '😀😀', '😀😀😀']) passed(accept({ t }, asked));
  for (const t of ['', 'a', '😀', 'abcd', '😀😀😀😀']) refused(accept({ t }, asked), internal, '/content/t');
});

test('B47: a lone surrogate is no text that a server could decode', () => {
  refused(accept({ t: 'a\ud800' }, form({ t: { type: 'string' } })), internal, '/content/t');
});

const formats: readonly (readonly [format: string, good: readonly string[], bad: readonly string[]])[] = [
  [
    'email',
    ['a@b.cc', "o'neil+tag@mail.example.co.uk", 'x.y@1and1.de'],
    [
      '',
      'a',
      '@b.cc',
      'a@',
      'a@b',
      'a b@c.dd',
      '.a@b.cc',
      'a..b@c.dd',
      'a@-b.cc',
      'a@b..cc',
      'a@b.cc\n',
      `${'a'.repeat(65)}@b.cc`,
      'é@b.cc',
    ],
  ],
  [
    'uri',
    [
      'https://a.example/b?c=d#e',
      'mailto:a@b.cc',
      'urn:isbn:1',
      'http://[::1]:80/',
      'http://[::ffff:192.0.2.1]/',
      'http://[1:2:3:4:5:6:192.0.2.1]/',
      'file:///etc',
      'a:b/c',
      'https://a%20b/',
    ],
    [
      '',
      'a',
      '//a.example',
      '/b',
      'https://a b/',
      'https://a/\n',
      '1a://b',
      'https://a/%zz',
      'https://[::1',
      'https://[1:2]/',
      'https://[192.0.2.1]/',
      'https://[::192.0.2.256]/',
      'https://[::192.0.2.1:1]/',
      'https://[1:2:3:4:5:6:7:192.0.2.1]/',
      'https://ä/',
      'a:',
    ],
  ],
  [
    'date',
    ['2024-02-29', '2023-12-31', '0001-01-01'],
    ['', '2023-02-29', '2023-13-01', '2023-00-10', '2023-04-31', '23-01-01', '2023-1-1', '2023-01-01T00:00:00Z'],
  ],
  [
    'date-time',
    [
      '2024-02-29T23:59:59Z',
      '2024-01-01T00:00:00.123456+05:30',
      '2024-01-01t00:00:00z',
      '2016-12-31T23:59:60Z',
      '2016-12-31T15:59:60.5-08:00',
      '2017-01-01T05:29:60+05:30',
    ],
    [
      '',
      '2024-01-01',
      '2024-01-01T00:00:00',
      '2024-01-01T24:00:00Z',
      '2024-01-01 00:00:00Z',
      '2024-02-30T00:00:00Z',
      '2024-01-01T00:00Z',
      '2024-01-01T00:00:00+24:00',
      '2016-12-31T23:59:61Z',
      '2016-12-31T22:59:60Z',
      '2016-12-31T23:59:60+01:00',
    ],
  ],
];

for (const [format, good, bad] of formats) {
  test(`B47: the format ${format} is checked`, () => {
    const asked = form({ f: { type: 'string', format } });
    for (const f of good) passed(accept({ f }, asked));
    for (const f of bad) refused(accept({ f }, asked), internal, '/content/f');
  });
}

test('B47: bounds, exclusive bounds and steps are held, steps in decimal', () => {
  const bounded = form({ n: { type: 'number', minimum: 0, exclusiveMaximum: 10 } });
  for (const n of [0, 9.99]) passed(accept({ n }, bounded));
  for (const n of [-0.01, 10, 1e300]) refused(accept({ n }, bounded), internal, '/content/n');
  const price = form({ n: { type: 'number', multipleOf: 0.01 } });
  for (const n of [0, 4.35, 0.3, 19.99, 1e15, -1.1]) passed(accept({ n }, price));
  for (const n of [0.001, 4.355, 1e-7]) refused(accept({ n }, price), internal, '/content/n');
  const tiny = form({ n: { type: 'number', multipleOf: 1e-300 } });
  passed(accept({ n: 1e-299 }, tiny));
  refused(accept({ n: 1.5e-300 }, tiny), internal, '/content/n');
});

test('B47: non-finite numbers and integers beyond 2^53 are refused', () => {
  for (const type of ['number', 'integer']) {
    const asked = form({ n: { type } });
    for (const n of [Number.POSITIVE_INFINITY, Number.NaN, 2 ** 53, -(2 ** 53), 1e300])
      refused(accept({ n }, asked), internal, '/content/n');
    for (const n of [2 ** 53 - 1, -(2 ** 53 - 1), -0, 0]) passed(accept({ n }, asked));
    refused(accept(JSON.parse('{"n":1e400}'), asked), internal, '/content/n');
  }
});

test('B47: an accepted URL has no content', () => {
  const asked = passed(askUrl('https://a.example/'));
  assert.deepEqual(passed(release({ action: 'accept' }, asked)), { action: 'accept' });
});

test('B48: applyDefaults fills missing keys of an accepted form, falsy ones included, before the check', () => {
  const fields = {
    zero: { type: 'integer', default: 0 },
    no: { type: 'boolean', default: false },
    empty: { type: 'string', default: '' },
    none: { type: 'array', items: { type: 'string', enum: ['a'] }, default: [] },
    bare: { type: 'string' },
  };
  const required = ['zero', 'no', 'empty', 'none'];
  const filling = form(fields, required, { elicitation: { applyDefaults: true } });
  const filled = { zero: 0, no: false, empty: '', none: [] };
  assert.deepEqual(passed(accept(undefined, filling)), { action: 'accept', content: filled });
  assert.deepEqual(passed(accept({ zero: 7 }, filling)), { action: 'accept', content: { ...filled, zero: 7 } });
  refused(accept({ zero: 'x' }, filling), internal, '/content/zero');
  refused(accept({}, form(fields, required)), internal, '/content/zero');
});

test('case 17: bad answers are refused, never sent', () => {
  const asked = form(person, ['name']);
  refused(accept({}, asked), internal, '/content/name');
  refused(accept({ name: 42 }, asked), internal, '/content/name');
  refused(accept({ name: 'Alice', age: -5 }, asked), internal, '/content/age');
  refused(accept({ name: 'Alice', extra: 'zz' }, asked), internal, '/content/extra');
});

test('case 18: declining and cancelling go out as the bare action, whatever was required', () => {
  const asked = form(person, ['name', 'age']);
  for (const action of ['decline', 'cancel'])
    for (const said of [{ action }, { action, content: null }, { action, content: undefined }]) {
      const verdict = release(said, asked);
      assert.deepEqual(passed(verdict), { action });
      assert.ok(verdict.ok && verdict.notes === undefined, 'nothing was taken away');
    }
});

test('case 19: content on decline or cancel is removed, and noted without its values', () => {
  const said = { action: 'decline', content: { value: 'typed-before-declining' } };
  const verdict = release(said, form(person));
  assert.deepEqual(passed(verdict), { action: 'decline' });
  assert.ok(verdict.ok && verdict.notes?.length === 1);
  assert.doesNotMatch(JSON.stringify(verdict), /typed/);
});

test('case 21: garbage is not made a number, 42.0 is an integer, unsafe integers are refused', () => {
  const asked = form({ age: { type: 'integer' } });
  for (const age of ['42xyz', '2o', ' 42 ', '42', 4.2, JSON.parse('9007199254740993'), [42], { valueOf: 42 }])
    refused(accept({ age }, asked), internal, '/content/age');
  for (const age of [42.0, -0]) passed(accept({ age }, asked));
});

test('case 23: a required boolean with a default: filled if defaults are on, missing if off, never a text', () => {
  const fields = { ok: { type: 'boolean', default: true } };
  const on = form(fields, ['ok'], { elicitation: { applyDefaults: true } });
  const off = form(fields, ['ok']);
  assert.deepEqual(passed(accept({}, on)), { action: 'accept', content: { ok: true } });
  refused(accept({}, off), internal, '/content/ok');
  for (const asked of [on, off]) refused(accept({ ok: 'true' }, asked), internal, '/content/ok');
});

test('case 24: nothing is filled on decline or cancel, and what the user said is never overwritten', () => {
  const asked = form({ n: { type: 'integer', default: 0 } }, [], { elicitation: { applyDefaults: true } });
  assert.deepEqual(passed(release({ action: 'decline', content: {} }, asked)), { action: 'decline' });
  assert.deepEqual(passed(release({ action: 'cancel' }, asked)), { action: 'cancel' });
  assert.deepEqual(passed(accept({ n: 5 }, asked)), { action: 'accept', content: { n: 5 } });
});

test('case 25: a fraction answers a number field in every revision', () => {
  for (const revision of revisions)
    assert.deepEqual(passed(accept({ rating: 4.5 }, form({ rating: { type: 'number' } }, [], { revision }))), {
      action: 'accept',
      content: { rating: 4.5 },
    });
});

test('case 26: no refusal repeats a value', () => {
  const secret = 'hunter2-s3cret';
  const asked = form({ password: { type: 'string', maxLength: 3, pattern: '^x' }, n: { type: 'integer' } });
  for (const content of [{ password: secret }, { n: secret }])
    assert.doesNotMatch(JSON.stringify(accept(content, asked)), /hunter/);
});

test('case 35: content on an accepted URL is removed', () => {
  const verdict = release({ action: 'accept', content: { token: 'x' } }, passed(askUrl('https://a.example/')));
  assert.deepEqual(passed(verdict), { action: 'accept' });
  assert.ok(verdict.ok && verdict.notes?.length === 1);
});
