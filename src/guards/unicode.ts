/**
 * Whether every text of an answer can be encoded. Many servers cannot decode a lone surrogate (half of an emoji, where a text was
 * cut): they would drop the whole message, and wait for an answer that never comes.
 */
import { isWellFormed } from '../contract/form.js';

/** Of plain data; the names of members count. */
export function isEncodable(value: unknown): boolean {
  if (typeof value === 'string') return isWellFormed(value);
  if (typeof value !== 'object' || value === null) return true;
  return Array.isArray(value) ? value.every(isEncodable) : Object.entries(value).every(isEncodable);
}
