/**
 * Which patterns may be run, and on how much text.
 *
 * A linear-time engine still pays for the size of a pattern's program, and `(a{1000})` has a thousand steps. So a pattern is
 * weighed before it is compiled, by a scan that multiplies what is repeated; a heavy one is not run. The product of weight
 * and text is bounded too, which bounds the time of one match.
 */

/** Behaviour 45. */
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
  /** From ECMAScript's syntax to the engine's. */
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
  const weight = Math.max(1, weigh(pattern));
  if (pattern.length > maxPattern || weight > maxWeight) return annotation;
  try {
    const compiled = engine.compile(engine.translateRegExp(pattern));
    return (text) => weight * text.length <= maxWork && compiled.test(text);
  } catch {
    return annotation;
  }
}

/** An estimate, right to a factor of two, of the steps that the pattern's program has. Never throws; nonsense gets some number. */
export function weigh(pattern: string): number {
  const stack: Level[] = [];
  let level: Level = { total: 0, last: 0 };
  for (let at = 0; at < pattern.length; ) {
    const token = next(pattern, at);
    at = token.end;
    if (token.kind === 'open') {
      stack.push(level);
      level = { total: 2, last: 0 };
    } else if (token.kind === 'close') {
      level = append(stack.pop() ?? { total: 0, last: 0 }, level.total);
    } else if (token.kind === 'repeat') {
      level = { total: level.total + level.last * (token.size - 1) + 1, last: level.last * token.size + 1 };
    } else {
      level = append(level, token.size);
    }
  }
  return stack.reduce((sum, { total }) => sum + total, level.total);
}

/** The program's size so far in one group, and that of the atom a repetition would apply to. */
interface Level {
  readonly total: number;
  readonly last: number;
}

const append = ({ total }: Level, size: number): Level => ({ total: total + size, last: size });

interface Token {
  readonly kind: 'atom' | 'open' | 'close' | 'repeat';
  readonly size: number;
  readonly end: number;
}

/** A class by property is a table of hundreds of ranges. */
const propertySize = 20;

const repetition = /\{(\d{1,5})(,)?(\d{1,5})?\}/y;
const property = /\\p(?:\{[^}]*\}|.)/iy;
const escaped = /\\(?:[xu]\{[^}]*\}|.)/sy;
const charClass = /\[\^?\]?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/sy;

function next(pattern: string, at: number): Token {
  const char = pattern[at] as string;
  if (char === '(') return { kind: 'open', size: 0, end: at + 1 };
  if (char === ')') return { kind: 'close', size: 0, end: at + 1 };
  if (char === '*' || char === '+' || char === '?') return { kind: 'repeat', size: 1, end: at + 1 };
  const repeated = read(repetition, pattern, at);
  if (repeated !== null) return { kind: 'repeat', size: times(repeated), end: at + repeated[0].length };
  const atom = read(property, pattern, at) ?? read(escaped, pattern, at) ?? read(charClass, pattern, at);
  if (atom === null) return { kind: 'atom', size: 1, end: at + 1 };
  const properties = atom[0].match(/\\p/gi)?.length ?? 0;
  return { kind: 'atom', size: 1 + properties * propertySize, end: at + atom[0].length };
}

function read(expression: RegExp, pattern: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(pattern);
}

const times = (repeated: RegExpExecArray): number => Math.max(1, Number(repeated[1]), Number(repeated[3] ?? 0));
