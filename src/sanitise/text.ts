/**
 * The text rule (behaviour 55): what a server wrote, fit for a log line, a terminal or a dialog.
 *
 * In this order: the first `max * 4` UTF-8 bytes are kept, a cut sequence is dropped, each run of white-space controls
 * becomes one space, unsafe code points are deleted, the first `max` graphemes are kept. Time is linear in `max`, not in
 * what was sent; cleaning a cleaned text changes nothing; nothing throws.
 */

import { type Effort, graphemeEnd } from './graphemes.js';
import { plainCopy } from './plain.js';
import { breaks, unsafe, unsafeInProse } from './unsafe.js';

/** Enough for one text, whatever it is made of; about five milliseconds. */
export const fullEffort: number = 4096;

/** `max` counts graphemes. Null and undefined are `""`; other values are written as bounded JSON first. */
export function cleanText(value: unknown, max = 200, effort: Effort = { doubts: fullEffort }): string {
  const text = typeof value === 'string' ? value : spell(value, max);
  const start = text.length > max * 4 ? text.slice(0, max * 4) : text;
  if (printable.test(start)) return start.length > max ? start.slice(0, max) : start;
  const kept = firstBytes(start, max * 4);
  return firstGraphemes(kept.replace(breaks, ' ').replace(unsafe, ''), max, effort);
}

/** Deletes unsafe code points, keeping line feeds and tabs; `altered` says whether there were any. */
export function stripUnsafe(text: string): { readonly text: string; readonly altered: boolean } {
  if (plainProse.test(text)) return { text, altered: false };
  const stripped = text.replace(unsafeInProse, '');
  return { text: stripped, altered: stripped.length !== text.length };
}

const printable = /^[\x20-\x7e]*$/;
const plainProse = /^[\n\t\x20-\x7e]*$/;

function spell(value: unknown, max: number): string {
  if (value === null || value === undefined) return '';
  const start = (text: string): string => text.slice(0, max * 4);
  // A character of JSON takes six bytes at most, so the first string always fits.
  const copy = plainCopy(value, { depth: 16, nodes: 10_000, bytes: max * 4 * 6 + 1024, text: start, key: start });
  return typeof copy === 'string' ? copy : JSON.stringify(copy);
}

const encoder = new TextEncoder();
let scratch = new Uint8Array(1024);

/** The longest prefix of whole characters that fits `limit` UTF-8 bytes; a lone surrogate counts three. */
function firstBytes(text: string, limit: number): string {
  if (text.length * 3 <= limit) return text;
  if (scratch.length < limit) scratch = new Uint8Array(limit);
  const { read } = encoder.encodeInto(text, scratch.subarray(0, limit));
  return text.slice(0, read);
}

/**
 * Letters of scripts whose every character is a grapheme of its own, one UTF-16 unit long: Latin, Greek, Cyrillic, Armenian,
 * kana, CJK, Hangul syllables and common punctuation, without combining marks and joiners.
 */
const oneUnitEach =
  /^[\x20-\x7e\u00a0-\u02ff\u0370-\u0482\u048a-\u0590\u2010-\u2027\u2030-\u205e\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]*$/;

function firstGraphemes(text: string, max: number, effort: Effort): string {
  return text.length <= max ? text : text.slice(0, oneUnitEach.test(text) ? max : graphemeEnd(text, max, effort));
}
