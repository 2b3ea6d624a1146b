/**
 * The record of what a peer sent, and waiting for what it will send. Each frame satisfies one expectation at most, in the
 * order of arrival. Nothing is timed: an expectation ends with its frame or with the line.
 */
import type { Frame } from './frames.js';

/** A method name, or a predicate over the frame. */
export type Expectation = string | ((frame: Frame) => boolean);

export interface FrameRecord {
  readonly frames: readonly Frame[];
  add(frame: Frame): void;
  expect(match: Expectation): Promise<Frame>;
  close(error: Error): void;
}

interface Expecting {
  matches(frame: Frame): boolean;
  resolve(frame: Frame): void;
  reject(error: Error): void;
}

export function createRecord(): FrameRecord {
  const frames: Frame[] = [];
  const untaken = new Set<Frame>();
  const expecting = new Set<Expecting>();

  const take = (matches: Expecting['matches']): Frame | undefined => {
    for (const frame of untaken) {
      if (!matches(frame)) continue;
      untaken.delete(frame);
      return frame;
    }
    return undefined;
  };

  return {
    frames,
    add(frame) {
      frames.push(frame);
      for (const each of expecting) {
        if (!each.matches(frame)) continue;
        expecting.delete(each);
        return each.resolve(frame);
      }
      untaken.add(frame);
    },
    expect(match) {
      const matches = typeof match === 'string' ? (frame: Frame) => frame.method === match : match;
      const there = take(matches);
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((resolve, reject) => expecting.add({ matches, resolve, reject }));
    },
    close(error) {
      const waiting = [...expecting];
      expecting.clear();
      for (const each of waiting) each.reject(error);
    },
  };
}
