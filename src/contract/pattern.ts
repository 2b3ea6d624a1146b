/**
 * Which patterns may be run, and on how much text (behaviour 45, case 13).
 *
 * A linear-time engine still pays for the size of a pattern's program, and `(a{1000})` has a thousand steps. So a pattern is
 * weighed before it is compiled, by a scan that multiplies what is repeated; a heavy one is not run. The product of weight
 * and text is bounded too, which bounds the time of one match to a few milliseconds.
 */
import { type Token, tokens } from './tokens.js';

/** UTF-16 units. */
export const maxPattern = 256;
/** Steps of a program that is still compiled and run. */
const maxWeight = 400;
/** Steps times UTF-16 units of one match. */
const maxWork = 200_000;
/** Compiled patterns that are remembered; a full memory starts anew. */
const maxRemembered = 256;

/** A linear-time engine, in the shape that re2js has. */
export interface Engine {
  compile(pattern: string): { test(text: string): boolean };
  /** From ECMAScript's spelling of escapes and groups to the engine's. */
  translateRegExp(pattern: string): string;
}

type Test = (text: string) => boolean;

const annotation: Test = () => true;

/**
 * Whether a text has a match for a pattern. A pattern that the engine does not know (look-ahead, back-references) or that is
 * too heavy to run is an annotation, and every text matches. A text too long for its pattern does not match.
 */
export function createMatches(engine: Engine | null): (pattern: string, text: string) => boolean {
  const remembered = new Map<string, Test>();

  function recall(pattern: string): Test {
    const known = remembered.get(pattern);
    if (known !== undefined) return known;
    if (remembered.size >= maxRemembered) remembered.clear();
    const test = engine === null ? annotation : compile(pattern, engine);
    remembered.set(pattern, test);
    return test;
  }

  return (pattern, text) => recall(pattern)(text);
}

function compile(pattern: string, engine: Engine): Test {
  const found = pattern.length > maxPattern ? [] : tokens(pattern);
  const weight = Math.max(1, weigh(found));
  if (pattern.length > maxPattern || weight > maxWeight || found.some(isBeyondEngine)) return annotation;
  try {
    const compiled = engine.compile(engine.translateRegExp(found.map(ecmaScript).join('')));
    return (text) => weight * text.length <= maxWork && compiled.test(text);
  } catch {
    return annotation;
  }
}

/** The program's size so far in one group, and that of the atom a repetition would apply to. */
interface Level {
  readonly total: number;
  readonly last: number;
}

const bottom: Level = { total: 0, last: 0 };

/** An estimate, right to a factor of two, of the steps that the pattern's program has. */
function weigh(found: readonly Token[]): number {
  const stack: Level[] = [];
  let level = bottom;
  for (const token of found) {
    if (token.kind === 'open') {
      stack.push(level);
      level = { total: 2, last: 0 };
    } else if (token.kind === 'close') level = append(stack.pop() ?? bottom, level.total);
    else if (token.kind === 'repeat') level = repeat(level, times(token.text));
    else level = append(level, atomSize(token.text));
  }
  return stack.reduce((sum, { total }) => sum + total, level.total);
}

const append = ({ total }: Level, size: number): Level => ({ total: total + size, last: size });

const repeat = ({ total, last }: Level, count: number): Level => ({
  total: total + last * (count - 1) + 1,
  last: last * count + 1,
});

/** A class by property is a table of hundreds of ranges. */
const propertySize = 20;

const atomSize = (text: string): number => 1 + (text.match(/\\p/gi)?.length ?? 0) * propertySize;

/** How often at most: the larger number in braces, and once where there is no bound, since a loop repeats no code. */
const times = (text: string): number => Math.max(1, ...(text.match(/\d+/g) ?? []).map(Number));

/**
 * An empty class, the class of everything, a reference to a named group and half a surrogate pair mean something else to RE2. Flags
 * are not of ECMAScript, and a class of many letters without regard to case takes milliseconds to compile.
 */
const isBeyondEngine = ({ kind, text }: Token, index: number, found: readonly Token[]): boolean =>
  (kind === 'class' && /^\[\^?\]/.test(text)) ||
  text === '\\k' ||
  surrogate.test(text) ||
  (kind === 'open' && /^\(\?[a-z-]+:/.test(text)) ||
  (kind === 'repeat' && found[index - 1]?.kind === 'open'); // `(?i)` and the like

const surrogate = /\\u(?:\{0*)?d[89a-f]/i;

const space = '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const notSpace =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Where RE2 means less by a token than ECMAScript does: white space is all of Unicode's, and `.` stops at every line end. */
function ecmaScript({ kind, text }: Token): string {
  if (kind === 'class') return text.replace(/\\(.)/gs, (whole, char) => classEscapes.get(char) ?? whole);
  if (kind !== 'atom') return text;
  if (text === '.') return '[^\\n\\r\\x{2028}\\x{2029}]';
  if (text === '\\s') return `[${space}]`;
  return text === '\\S' ? `[^${space}]` : text;
}

const classEscapes = new Map([
  ['s', space],
  ['S', notSpace],
]);
