import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { cleanText, stripUnsafe } from '../../src/sanitise/text.js';
import { fastest } from '../support/fastest.js';

const unsafePoints: readonly number[] = [
  ...range(0x00, 0x1f),
  ...range(0x7f, 0x9f),
  0x061c,
  0x200b,
  0x200e,
  0x200f,
  ...range(0x202a, 0x202e),
  0x2060,
  ...range(0x2066, 0x2069),
  0xfeff,
  ...range(0xe0000, 0xe007f),
  0xd800,
  0xdbff,
  0xdc00,
  0xdfff,
];
const breakPoints = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x85, 0x2028, 0x2029]);

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const graphemes = (text: string): string[] => [...segmenter.segment(text)].map(({ segment }) => segment);

test('B55: every unsafe code point is deleted, or becomes a space if it is a white-space control', () => {
  for (const point of unsafePoints) {
    const expected = breakPoints.has(point) ? 'a b' : 'ab';
    assert.equal(cleanText(`a${String.fromCodePoint(point)}b`), expected, `U+${point.toString(16)}`);
  }
});

test('B55: a run of tabs, line breaks, U+2028 and U+2029 is one space', () => {
  assert.equal(cleanText('a\t\r\n\v\f\u0085\u2028\u2029b'), 'a b');
  assert.equal(cleanText('a\n\u200b\nb'), 'a  b', 'what is deleted later still ends a run');
  assert.equal(cleanText('  a  '), '  a  ', 'plain spaces stay');
});

test('B55: the joiners stay, for Persian and for emoji', () => {
  assert.equal(cleanText('می\u200cخواهم'), 'می\u200cخواهم');
  assert.equal(cleanText('👨\u200d👩\u200d👧'), '👨\u200d👩\u200d👧');
});

test('B55: the first max * 4 bytes are kept and a cut sequence is dropped', () => {
  assert.equal(cleanText('aaa😀', 1), 'a');
  assert.equal(cleanText('\u0000\u0000\u0000😀', 1), '', 'three bytes are spent, four do not fit any more');
  assert.equal(cleanText('\u0000\u0000é!', 1), 'é');
  assert.equal(cleanText('\u0000\u0000\u0000é!', 1), '', 'the cut sequence is dropped, and nothing follows it');
  assert.equal(cleanText(`${'\u0000'.repeat(800)}x`), '', 'deleted characters have used up the bytes');
});

test('B55: the first max graphemes are kept, with no mark for the cut', () => {
  assert.equal(cleanText('abcdef', 3), 'abc');
  assert.equal(cleanText('e\u0301e\u0301e\u0301', 2), 'e\u0301e\u0301');
  assert.equal(cleanText('🇩🇪🇫🇷', 1), '🇩', 'four bytes hold one of the two letters that make a flag');
  assert.equal(cleanText('🇩🇪🇫🇷', 2), '🇩🇪');
  assert.equal(cleanText('x'.repeat(1000)).length, 200, 'the default is 200');
  assert.equal(cleanText('漢'.repeat(1000)).length, 200);
});

test('B55: null is the empty text, other values are bounded JSON', () => {
  assert.equal(cleanText(null), '');
  assert.equal(cleanText(undefined), '');
  assert.equal(cleanText(42), '42');
  assert.equal(cleanText(true), 'true');
  assert.equal(cleanText(['a', { b: 1 }]), '["a",{"b":1}]');
  assert.equal(cleanText({ a: 'x'.repeat(1e6) }).length, 200);
  assert.equal(cleanText(10n), '10');
  assert.equal(
    cleanText(() => 1),
    'null',
  );
});

test('B55: nothing makes the rule throw', () => {
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const trap = new Proxy({}, { ownKeys: () => assert.fail('read') });
  const getter = {
    get a(): never {
      throw new Error('read');
    },
  };
  for (const value of [cycle, trap, getter, Symbol('s'), Object.create(null), new Date(Number.NaN)])
    assert.equal(typeof cleanText(value), 'string');
  fc.assert(
    fc.property(fc.anything(), fc.nat(300), (value, max) => typeof cleanText(value, max) === 'string'),
    { numRuns: 500 },
  );
});

const nastyText = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(...unsafePoints.map((point) => String.fromCodePoint(point))),
    fc.constantFrom('a', ' ', 'é', '漢', '한', 'ㅏ', '👩', '\u200d', '\u0301', '🇩', '\u200c', '\ud83d', '\udc00', 'ß', '\u00ad'),
  ),
);

test('B55: cleaning a cleaned text changes nothing', () => {
  fc.assert(
    fc.property(nastyText, fc.integer({ min: 1, max: 40 }), (parts, max) => {
      const once = cleanText(parts.join(''), max);
      assert.equal(cleanText(once, max), once);
    }),
    { numRuns: 2000 },
  );
});

test('B55: what comes out has no unsafe code point and at most max graphemes', () => {
  fc.assert(
    fc.property(nastyText, fc.integer({ min: 1, max: 40 }), (parts, max) => {
      const clean = cleanText(parts.join(''), max);
      for (const char of clean) assert.ok(!unsafePoints.includes(char.codePointAt(0) as number));
      assert.doesNotMatch(clean, /\p{Cs}/u);
      assert.ok(graphemes(clean).length <= max);
    }),
    { numRuns: 2000 },
  );
});

/** The rule once more, slowly and in the words of the behaviour. */
function byTheBook(text: string, max: number): string {
  let kept = '';
  let bytes = 0;
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > max * 4) break;
    kept += char;
  }
  const spaced = kept.replace(/[\t\n\v\f\r\u0085\u2028\u2029]+/g, ' ');
  const safe = [...spaced].filter((char) => !unsafePoints.includes(char.codePointAt(0) as number) && !/\p{Cs}/u.test(char));
  return graphemes(safe.join('')).slice(0, max).join('');
}

test('B55: the fast paths say what the rule says', () => {
  fc.assert(
    fc.property(nastyText, fc.integer({ min: 1, max: 40 }), (parts, max) => {
      const text = parts.join('');
      assert.equal(cleanText(text, max), byTheBook(text, max));
    }),
    { numRuns: 3000 },
  );
  const letters = [
    0x41, 0xe9, 0x3b1, 0x416, 0x531, 0x5d0, 0x2014, 0x3042, 0x30a2, 0x3400, 0x4e2d, 0xac00, 0xd7a3, 0xff9e, 0x1100, 0xa9,
  ];
  for (const one of letters)
    for (const other of letters) {
      const text = String.fromCodePoint(one, other, one);
      assert.equal(cleanText(text, 2), byTheBook(text, 2), text);
    }
});

test('B55: the graphemes that are told without the segmenter are what the segmenter says, over all of Unicode', () => {
  const neighbours = [
    'a',
    'e\u0301',
    '漢',
    'ก',
    'ा',
    '\u094d',
    '\u1100',
    '\uac00',
    '🇩',
    '👩',
    '\u200d',
    '🏽',
    'ي',
    '\u0600',
    '\u0e33',
    'ക',
  ];
  const points: number[] = [];
  for (let point = 0xa0; point < 0x20000; point++) if (point < 0xd800 || point > 0xf8ff) points.push(point);
  for (let point = 0xe0100; point < 0xe01f0; point += 16) points.push(point);
  // A handful of neighbours at a time, each between two code points, in texts that are long enough to be cut.
  for (const [index, neighbour] of neighbours.entries()) {
    const chosen = points.filter((_, at) => at % neighbours.length === index);
    for (let at = 0; at < chosen.length; at += 40) {
      const text = chosen
        .slice(at, at + 40)
        .map((point) => String.fromCodePoint(point) + neighbour)
        .join('');
      const whole = cleanText(text, 1000);
      const cut = Math.floor(graphemes(whole).length / 2);
      assert.equal(cleanText(whole, cut), byTheBook(whole, cut), JSON.stringify(whole));
    }
  }
});

test('B55: a long text of any script is cut in well under a millisecond or two', () => {
  for (const piece of ['naïve café 漢字 привет 👩 ', 'e\u0301', 'สวัสดี', 'مرحبا بكم ', '漢😀'])
    assert.ok(fastest(() => cleanText(piece.repeat(20_000), 4096)) < 4, piece);
});

test('B55: time is linear in max, not in what was sent', () => {
  const huge = '\u202e\u0301漢'.repeat(2_000_000);
  assert.ok(fastest(() => cleanText(huge)) < 2, 'six million characters, cut before they are read');
});

test('case 99: terminal sequences, links and forged lines lose their teeth', () => {
  assert.equal(cleanText('a\u001b[2J\u001b]0;PWNED\u0007b'), 'a[2J]0;PWNEDb');
  assert.equal(cleanText('\u001b]8;;http://evil/\u0007x'), ']8;;http://evil/x');
  assert.equal(cleanText('x\r\n[ERROR] forged'), 'x [ERROR] forged');
});

test('case 100: DEL, C1, bidirectional marks, the byte order mark, tags and lone surrogates are removed', () => {
  assert.equal(cleanText('\u009b2J'), '2J');
  assert.equal(cleanText('\u007f'), '');
  assert.equal(cleanText('\u202egpj.exe'), 'gpj.exe');
  assert.equal(cleanText('\u2066\ufeff\u{e0041}\ud800'), '');
  assert.equal(cleanText('中文 한국어 日本語'), '中文 한국어 日本語');
  assert.equal(cleanText('x'.repeat(5_000_000)).length, 200);
});

test('B45: prose loses unsafe code points and keeps its lines and tabs', () => {
  assert.deepEqual(stripUnsafe('a\tb\nc'), { text: 'a\tb\nc', altered: false });
  assert.deepEqual(stripUnsafe('a\r\n\u202eb\u0000'), { text: 'a\nb', altered: true });
  assert.deepEqual(stripUnsafe('日本語'), { text: '日本語', altered: false });
  for (const point of unsafePoints) {
    const kept = point === 0x09 || point === 0x0a;
    assert.equal(stripUnsafe(String.fromCodePoint(point)).altered, !kept, `U+${point.toString(16)}`);
  }
});

test('B45: stripping a stripped text changes nothing', () => {
  fc.assert(
    fc.property(nastyText, (parts) => {
      const { text } = stripUnsafe(parts.join(''));
      assert.deepEqual(stripUnsafe(text), { text, altered: false });
    }),
    { numRuns: 1000 },
  );
});
