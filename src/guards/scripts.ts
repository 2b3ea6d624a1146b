/**
 * Whether a host name mixes scripts (behaviour 42), judged label by label on the Unicode spelling.
 *
 * A label is of one script if its letters all belong to one, or to one of the sets that a language really writes together
 * (Japanese, Korean, Chinese with Bopomofo). Digits, hyphens and combining marks belong to every script. A label in a script
 * that is not listed, one not recommended for identifiers, counts as mixed: a warning too many costs little.
 */
const scripts: readonly string[] = [
  'Latin',
  'Greek',
  'Cyrillic',
  'Armenian',
  'Georgian',
  'Hebrew',
  'Arabic',
  'Thaana',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Thai',
  'Lao',
  'Tibetan',
  'Myanmar',
  'Ethiopic',
  'Khmer',
];

const together: readonly (readonly string[])[] = [
  ['Han', 'Hiragana', 'Katakana'],
  ['Han', 'Bopomofo'],
  ['Han', 'Hangul'],
];

const within = (names: readonly string[]): RegExp =>
  new RegExp(`^[${[...names, 'Common', 'Inherited'].map((name) => `\\p{Script_Extensions=${name}}`).join('')}]*$`, 'u');

const sets: readonly RegExp[] = [...scripts.map((name) => [name]), ...together].map(within);

export function mixesScripts(unicodeHost: string): boolean {
  return unicodeHost.split('.').some((label) => !/^[\x20-\x7e]*$/.test(label) && !sets.some((set) => set.test(label)));
}
