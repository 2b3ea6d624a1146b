/**
 * A pattern cut into tokens, enough to weigh it and to translate it: groups, repetitions, and atoms with their text. No
 * syntax error is found here; whatever is odd becomes an atom, and the engine has the last word.
 */
export interface Token {
  readonly kind: 'atom' | 'class' | 'open' | 'close' | 'repeat';
  readonly text: string;
}

const openGroup = /\((?:\?(?:<?[=!]|<[^>]*>|P<[^>]*>|[a-z-]*:))?/iy;
const repetition = /(?:[*+?]|\{\d{1,5}(?:,\d{0,5})?\})\??/y;
const property = /\\p(?:\{[^}]*\}|.)/iy;
const escaped = /\\(?:x\{[^}]*\}|x[0-9a-f]{2}|u\{[^}]*\}|u[0-9a-f]{4}|.)/isy;
/** No two branches begin alike where both could go on, or a class that is never closed would be tried in every way there is. */
const charClass = /\[\^?(?:\\.|\[:\^?\w+:\]|[^\]\\])*\]/sy;

const atomic: readonly RegExp[] = [property, escaped];

export function tokens(pattern: string): readonly Token[] {
  const found: Token[] = [];
  for (let at = 0; at < pattern.length; ) {
    const token = next(pattern, at);
    found.push(token);
    at += token.text.length;
  }
  return found;
}

function next(pattern: string, at: number): Token {
  const group = read(openGroup, pattern, at);
  if (group !== undefined) return { kind: 'open', text: group };
  if (pattern[at] === ')') return { kind: 'close', text: ')' };
  const repeated = read(repetition, pattern, at);
  if (repeated !== undefined) return { kind: 'repeat', text: repeated };
  const bracketed = read(charClass, pattern, at);
  if (bracketed !== undefined) return { kind: 'class', text: bracketed };
  for (const expression of atomic) {
    const atom = read(expression, pattern, at);
    if (atom !== undefined) return { kind: 'atom', text: atom };
  }
  return { kind: 'atom', text: String.fromCodePoint(pattern.codePointAt(at) as number) };
}

function read(expression: RegExp, pattern: string, at: number): string | undefined {
  expression.lastIndex = at;
  return expression.exec(pattern)?.[0];
}
