import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { matches } from '../../src/guards/linear.js';
import { validateContent } from '../../src/handler.js';
import { fastest } from '../support/fastest.js';
import { accept, askForm, form, passed, refused, schema } from './given.js';

const internal = -32603;
const field = (pattern: string): object => ({ x: { type: 'string', pattern } });

test('B45: a pattern is kept for the callback to see, and an answer is held against it', () => {
  const asked = form(field('^[a-z]{2}\\d+$'));
  passed(accept({ x: 'ab12' }, asked));
  refused(accept({ x: 'AB12' }, asked), internal, '/content/x');
  refused(accept({ x: ' ab12' }, asked), internal, '/content/x');
  assert.match(JSON.stringify(asked.params), /pattern/);
});

test('B45: a pattern is no anchor: it may match anywhere, as JSON Schema has it', () => {
  passed(accept({ x: 'an example' }, form(field('xam'))));
});

const beyond: readonly string[] = [
  '^(?=.*\\d).+$',
  '(a)\\1',
  '(?<!x)y',
  '(',
  '[',
  'a{2,1}',
  '*',
  '(?P<n',
  '[^]',
  '[]',
  '\\k<n>',
  '(?s:.)b',
  '(?s)a.b',
  '(?i)abc',
  '(?i:abc)',
  '(?-i:abc)',
  '(?x) a',
  '\\ud83d\\ude00',
  '[\\uD83D]',
];

for (const pattern of beyond) {
  test(`B45: ${pattern} is beyond the engine and becomes an annotation`, () => {
    const asked = form(field(pattern));
    assert.ok(JSON.stringify(asked.params).includes(JSON.stringify(pattern)));
    passed(accept({ x: 'anything' }, asked));
  });
}

test('B45: a pattern longer than 256 characters is refused, unless a format that is checked stands beside it', () => {
  const long = 'a'.repeat(257);
  passed(askForm(schema(field('a'.repeat(256)))));
  refused(askForm(schema(field(long))), -32602, '/requestedSchema/properties/x/pattern');
  const dated = form({ x: { type: 'string', format: 'date', pattern: long } });
  assert.doesNotMatch(JSON.stringify(dated.params), /aaa/);
  refused(accept({ x: 'tomorrow' }, dated), internal, '/content/x');
});

const evil: readonly string[] = [
  '^(a+)+$',
  '((a+)+)+$',
  '^(a|a)*$',
  '^(a|aa)+$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(.*)(.*)(.*)(.*)(.*)[0-9]',
];

for (const pattern of evil) {
  test(`case 13: ${pattern} costs the main thread next to nothing`, () => {
    const asked = form(field(pattern));
    for (const x of [`${'a'.repeat(30)}!`, `${'a'.repeat(20_000)}!`, `${'x'.repeat(20_000)}!`])
      assert.ok(fastest(() => accept({ x }, asked)) < 10, `${x.length}`);
  });
}

/** Each would be a large program; none is compiled. */
const heavy: readonly string[] = [
  '(a{1000})',
  '((a{100}){100}){100}',
  '\\pL{900}',
  '(?i)[\\pL\\pN]{1000}',
  '([a-z]{1,100}){1,9}',
  '(((((a{9}){9}){9}){9}){9})',
];

for (const pattern of heavy) {
  test(`case 13: ${pattern} is too heavy to compile and becomes an annotation`, () => {
    const asked = form(field(pattern));
    assert.ok(fastest(() => passed(accept({ x: 'a' }, asked))) < 5);
  });
}

test('case 13: a class that is never closed is read once, not in every way there is', () => {
  for (const piece of ['\\p{a}', '\\P{', '[:a:', '[:^a', '\\]', '\\u{1}', '&&[']) {
    const field = { x: { type: 'string', pattern: `[${piece.repeat(24)}`, default: 'x' } };
    assert.ok(fastest(() => askForm(schema(field)), 1) < 50, piece); // once, since a pattern is remembered
  }
});

test('case 13: sixty-four patterns of letters without regard to case, each with a default, cost no second of compiling', () => {
  const pattern = (index: number): string => `(?i)${'[Ā-\u{10ffff}]'.repeat(30)}|${index}`;
  const names = Array.from({ length: 64 }, (_, index) => `f${index}`);
  const fields = names.map((name, index) => [name, { type: 'string', pattern: pattern(index), default: '漢'.repeat(30) }]);
  assert.ok(fastest(() => passed(askForm(schema(Object.fromEntries(fields)))), 1) < 100);
});

test('case 13: a text too long for its pattern does not match', () => {
  const asked = form(field('^[a-z ]*$'));
  passed(accept({ x: 'a'.repeat(10_000) }, asked));
  refused(accept({ x: 'a'.repeat(1_000_000) }, asked), internal, '/content/x');
});

test('case 13: sixty-four fields with a pattern each, all evil, stay within a frame', () => {
  const names = Array.from({ length: 64 }, (_, index) => `f${index}`);
  const asked = form(Object.fromEntries(names.map((name, index) => [name, { type: 'string', pattern: `^(a+)+${index}$` }])));
  const content = Object.fromEntries(names.map((name) => [name, `${'a'.repeat(2000)}!`]));
  assert.ok(fastest(() => accept(content, asked)) < 50);
});

/** Atoms and repetitions that both engines know. */
const atom = fc.constantFrom(
  'a',
  '.',
  '[a-z]',
  '\\d',
  '\\w',
  '\\S',
  '[^a]',
  'x',
  '\\s',
  'é',
  '[\\s]',
  '[^\\S]',
  '\\W',
  '\\D',
  '[\\w-]',
  '\\u00e9',
  '\\/',
  '\\.',
  '😀',
  '[😀a]',
  '\\n',
  '\\p{L}',
  '[^\\p{L}]',
  '\\u{1F600}',
  '\\x41',
  '[\\]a]',
  '\\t',
);
const anchor = fc.constantFrom('^', '$', '\\b');
const repeat = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '+?');
const { pattern: patterns } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
  pattern: fc.array(tie('piece'), { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')),
  piece: fc.oneof(
    { depthSize: 'small' },
    fc.tuple(atom, repeat).map(([one, times]) => one + times),
    anchor,
    fc.tuple(tie('pattern'), tie('pattern'), repeat).map(([one, other, times]) => `(?:${one}|${other})${times}`),
    fc.tuple(tie('pattern'), repeat).map(([one, times]) => `(${one})${times}`),
  ),
}));
const texts = fc.array(
  fc.constantFrom(
    'a',
    'x',
    'é',
    '😀',
    ' ',
    '\u00a0',
    '\n',
    '\r',
    '\u2028',
    '1',
    'A',
    '_',
    '-',
    '.',
    '/',
    '\ufeff',
    'ß',
    '\t',
    ']',
  ),
  { maxLength: 5 },
);

test('B45: property: the engine says what ECMAScript says', () => {
  fc.assert(
    fc.property(patterns, fc.array(texts, { minLength: 4, maxLength: 4 }), (pattern, samples) => {
      fc.pre(pattern.length <= 60);
      const native = new RegExp(pattern, 'u');
      for (const sample of samples) {
        const text = sample.join('');
        assert.equal(matches(pattern, text), native.test(text), JSON.stringify([pattern, text]));
      }
    }),
    { numRuns: 1500 },
  );
});

test('B45: property: no pattern, however mangled, makes anything throw or stall', () => {
  const mangled = fc.array(
    fc.constantFrom(
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '\\',
      '*',
      '+',
      '?',
      '|',
      '^',
      '$',
      'a',
      '1',
      ',',
      'p',
      'P',
      '<',
      '>',
      '=',
      '!',
      ':',
      '-',
      '{9}',
      '\\p{',
      '[:a:]',
      '(?i)',
      '(?<n>',
    ),
    { maxLength: 60 },
  );
  fc.assert(
    fc.property(mangled, (parts) => {
      const pattern = parts.join('').slice(0, 256);
      assert.equal(typeof matches(pattern, 'aaaaaaaaaaaaaaaaaaaa!'), 'boolean');
    }),
    { numRuns: 3000 },
  );
});

test('B61: in a worker, too, a pattern runs on the linear engine', () => {
  const shape = { type: 'object', properties: { x: { type: 'string', pattern: '^(a+)+$' } } } as const;
  assert.deepEqual(validateContent(shape, { x: `${'a'.repeat(30)}!` }), [{ path: '/x', reason: 'must match the pattern' }]);
  assert.deepEqual(validateContent(shape, { x: 'aaa' }), []);
});
