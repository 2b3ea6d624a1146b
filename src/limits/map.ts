/**
 * The byte map of a budget's shared memory; no other file knows an index.
 *
 *     word 0        mark: says that this is such a buffer, and which version
 *     word 1        how many slots there are
 *     word 2 + 2n   slot n: key, 0 while free; claimed once by compare-and-swap, never freed
 *     word 3 + 2n   slot n: theoretical arrival time in nanoseconds, 0 until the first take
 *
 * Words are 64 bits. A slot is claimed by one atomic write and spent from by one, so a thread that is killed at any
 * instant leaves a table that every other thread can read.
 */
import { createHash } from 'node:crypto';

const wordBytes = 8;
const headerWords = 2;
const slotWords = 2;

/** "bulkhd" and version 1. */
const mark = 0x62756c6b68640001n;

export const maxSlots: number = 2 ** 20;

export function layOut(slots: number): SharedArrayBuffer {
  const buffer = new SharedArrayBuffer((headerWords + slots * slotWords) * wordBytes);
  const words = new BigInt64Array(buffer);
  words[0] = mark;
  words[1] = BigInt(slots);
  return buffer;
}

/** The words of a buffer made by {@link layOut}, or null if it is none. */
export function wordsOf(buffer: SharedArrayBuffer): BigInt64Array | null {
  if (buffer.byteLength < headerWords * wordBytes || buffer.byteLength % wordBytes !== 0) return null;
  const words = new BigInt64Array(buffer);
  const intact = words[0] === mark && words.length === headerWords + slotsOf(words) * slotWords;
  return intact ? words : null;
}

export const slotsOf = (words: BigInt64Array): number => Number(words[1]);
export const keyWord = (slot: number): number => headerWords + slot * slotWords;
export const timeWord = (slot: number): number => headerWords + slot * slotWords + 1;

/** The 64-bit name of a key and the slot its search starts at, from a hash that nobody can steer. */
export function place(key: string, slots: number): { readonly name: bigint; readonly home: number } {
  const digest = createHash('sha256').update(key).digest();
  const name = digest.readBigInt64LE(0);
  return { name: name === 0n ? 1n : name, home: digest.readUInt32LE(8) % slots };
}
