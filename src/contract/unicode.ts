/**
 * Whether texts can be encoded. Many servers cannot decode a lone surrogate (half of an emoji, where a text was cut): they would
 * drop the whole message, and wait for an answer that never comes.
 */

/** In a `u` expression a surrogate that is part of a pair does not match. */
const loneSurrogate = /\p{Surrogate}/u;

export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Of plain data: every text in it, the names of members among them. */
export function isEncodable(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.every(isEncodable) : Object.entries(value).every(isEncodable);
}
