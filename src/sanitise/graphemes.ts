/**
 * Where the first graphemes of a text end, quickly. `Intl.Segmenter` takes a microsecond and more for each, which a server
 * could turn into seconds; most need no segmenter, since annex 29 of Unicode puts a break between any two of these:
 *
 *  - a character that joins nothing, with the marks attached to it;
 *  - a flag, a syllable of conjoining Hangul, an emoji of joined emoji.
 *
 * What is left is in doubt (viramas tie consonants together, some signs stand before a number) and goes to the segmenter, as
 * often as the effort allows.
 */

/** How many graphemes may still be asked of the segmenter; shared by the texts of one message. */
export interface Effort {
  doubts: number;
}

const leading = '\\u1100-\\u115f';
const flag = '\\p{Regional_Indicator}';

/** What may be part of a grapheme that began before it, or go on into the next character. */
const joining =
  `\\p{Mark}\\p{Control}\\p{Format}\\p{Surrogate}\\p{Emoji_Modifier}${flag}` +
  '\\u1100-\\u11ff\\ua960-\\ua97f\\ud7b0-\\ud7ff' + // conjoining Hangul
  '\\u0e33\\u0eb3\\uff9e\\uff9f' + // letters that are attached like marks
  '\\u0d4e\\u{111c2}\\u{111c3}\\u{113d1}\\u{1193f}\\u{11941}\\u{11a3a}\\u{11a84}-\\u{11a89}\\u{11d46}\\u{11f02}'; // prefixes

/** Marks that attach to the left and tie nothing to the right, script by script. */
const attached =
  '\\u0300-\\u036f\\u0483-\\u0489\\u0591-\\u05bd\\u05bf\\u05c1\\u05c2\\u05c4\\u05c5\\u05c7\\u0610-\\u061a\\u064b-\\u065f\\u0670' +
  '\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed\\u0900-\\u0903\\u093a-\\u093c\\u093e-\\u094c\\u0981-\\u0983\\u09bc' +
  '\\u0b82\\u0bbe\\u0e31\\u0e34-\\u0e39\\u0e47-\\u0e4e\\u1ab0-\\u1abe\\u1dc0-\\u1dff\\u20d0-\\u20f0\\u3099\\u309a\\ufe00-\\ufe0f' +
  '\\ufe20-\\ufe2f\\p{Emoji_Modifier}';

const emoji = '\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]*';

const grapheme =
  `(?:${emoji}(?:\\u200d${emoji})+|[^${joining}][${attached}]*|${flag}{2}[${attached}]*|[${leading}]+[\\u1160-\\u11a7]+[\\u11a8-\\u11ff]*)` +
  `(?=[^${joining}]|[${leading}]|${flag}|$)`;

const one = new RegExp(grapheme, 'uy');
const manyAtOnce = 32;
const many = new RegExp(`(?:${grapheme}){${manyAtOnce}}`, 'uy');

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The index behind the first `max` graphemes. With the effort used up the rest counts by UTF-16 units, never fewer than graphemes. */
export function graphemeEnd(text: string, max: number, effort: Effort): number {
  const segments = segmenter.segment(text);
  let end = 0;
  let count = 0;
  const skip = (expression: RegExp, graphemes: number): boolean => {
    expression.lastIndex = end;
    if (count + graphemes > max || !expression.test(text)) return false;
    end = expression.lastIndex;
    count += graphemes;
    return true;
  };
  while (count < max && end < text.length) {
    if (skip(many, manyAtOnce) || skip(one, 1)) continue;
    if (effort.doubts <= 0) return whole(text, end + max - count);
    effort.doubts -= 1;
    end += segments.containing(end)?.segment.length ?? text.length;
    count += 1;
  }
  return end;
}

/** An index that does not part a surrogate pair. */
function whole(text: string, index: number): number {
  return (text.codePointAt(index - 1) ?? 0) > 0xffff ? index - 1 : index;
}
