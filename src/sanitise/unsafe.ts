/**
 * The code points that no text from a server may carry to a person or a terminal, as one table (behaviour 55).
 *
 * Controls and escapes steer terminals, bidirectional marks reorder what is read, zero-width characters and the tag block
 * hide it. The joiners U+200C and U+200D are not in the table: Persian and emoji need them.
 */
type Range = readonly [first: number, last: number];

const unsafeRanges: readonly Range[] = [
  [0x0000, 0x001f],
  [0x007f, 0x009f],
  [0x061c, 0x061c],
  [0x200b, 0x200b],
  [0x200e, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x2060],
  [0x2066, 0x2069],
  [0xd800, 0xdfff], // in a `u` expression these match lone surrogates only
  [0xfeff, 0xfeff],
  [0xe0000, 0xe007f],
];

/** Controls that are white space, and the two Unicode line ends: a run of them reads as one space. */
const breakRanges: readonly Range[] = [
  [0x0009, 0x000d],
  [0x0085, 0x0085],
  [0x2028, 0x2029],
];

const lineFeed = 0x0a;
const tab = 0x09;

const spelled = (point: number): string => `\\u{${point.toString(16)}}`;
const span = ([first, last]: Range): string => `${spelled(first)}-${spelled(last)}`;
const charset = (ranges: readonly Range[]): string => ranges.map(span).join('');

/** Everything in the table. */
export const unsafe: RegExp = new RegExp(`[${charset(unsafeRanges)}]+`, 'gu');

/** Everything in the table but line feed and tab, which a form's texts may use. */
export const unsafeInProse: RegExp = new RegExp(`(?![${spelled(lineFeed)}${spelled(tab)}])[${charset(unsafeRanges)}]`, 'gu');

export const breaks: RegExp = new RegExp(`[${charset(breakRanges)}]+`, 'gu');
