/**
 * What a consumer's worker has been handed and has not finished, per connection and in order.
 *
 * Everything the worker says about items is checked here: an item begins only as the next of its connection, ends only after
 * it began, and each does so once. Anything else is a lie, and the worker dies of it.
 */
import type { ConsumerItem } from './isolation.js';

export interface Ledger {
  /** Returns the first item of each connection that is new. */
  add(items: readonly ConsumerItem[]): readonly ConsumerItem[];
  /** They were not handed over after all; they are the last that were added, `fresh` is what that returned. */
  withdraw(items: readonly ConsumerItem[], fresh: readonly ConsumerItem[]): void;
  /** `ended` is the item before it on its connection, if it was running until now. Undefined for a lie. */
  begin(sequence: number): { readonly item: ConsumerItem; readonly ended: ConsumerItem | undefined } | undefined;
  /** Undefined for a lie. */
  end(sequence: number): ConsumerItem | undefined;
  /** The connection is being forgotten; the worker will say so. */
  forget(connectionId: number): boolean;
  /** The worker has forgotten it: what had not begun never will. False for a lie. */
  forgot(connectionId: number): boolean;
  /** An item that runs now. */
  runs(sequence: number): ConsumerItem | undefined;
  readonly running: ReadonlySet<ConsumerItem>;
  /** The oldest item that has not ended. */
  first(): ConsumerItem | undefined;
  /** Items that have not ended. */
  readonly size: number;
  clear(): void;
}

interface Line {
  readonly waiting: ConsumerItem[];
  running: ConsumerItem | undefined;
  /** `asked`: the worker may not have heard it yet. `gone`: only what runs is left. */
  state: 'live' | 'asked' | 'gone';
}

export function createLedger(): Ledger {
  const out = new Map<number, ConsumerItem>();
  const lines = new Map<number, Line>();
  const running = new Set<ConsumerItem>();

  const close = (line: Line, item: ConsumerItem): void => {
    line.running = undefined;
    running.delete(item);
    out.delete(item.sequence);
    if (line.state === 'gone') lines.delete(item.connectionId);
  };

  return {
    add(items) {
      const fresh: ConsumerItem[] = [];
      for (const item of items) {
        out.set(item.sequence, item);
        const line = lines.get(item.connectionId);
        if (line !== undefined) {
          line.waiting.push(item);
          continue;
        }
        lines.set(item.connectionId, { waiting: [item], running: undefined, state: 'live' });
        fresh.push(item);
      }
      return fresh;
    },
    withdraw(items, fresh) {
      for (const item of items) {
        out.delete(item.sequence);
        lines.get(item.connectionId)?.waiting.pop();
      }
      for (const { connectionId } of fresh) lines.delete(connectionId);
    },
    begin(sequence) {
      const item = out.get(sequence);
      const line = item && lines.get(item.connectionId);
      if (item === undefined || line?.waiting[0] !== item) return undefined;
      const ended = line.running;
      if (ended !== undefined) close(line, ended);
      line.waiting.shift();
      line.running = item;
      running.add(item);
      return { item, ended };
    },
    end(sequence) {
      const item = out.get(sequence);
      const line = item && lines.get(item.connectionId);
      if (item === undefined || line?.running !== item) return undefined;
      close(line, item);
      return item;
    },
    forget(connectionId) {
      const line = lines.get(connectionId);
      if (line?.state !== 'live') return false;
      line.state = 'asked';
      return true;
    },
    forgot(connectionId) {
      const line = lines.get(connectionId);
      if (line?.state !== 'asked') return false;
      for (const { sequence } of line.waiting.splice(0)) out.delete(sequence);
      line.state = 'gone';
      if (line.running === undefined) lines.delete(connectionId);
      return true;
    },
    runs: (sequence) => {
      const item = out.get(sequence);
      return item !== undefined && running.has(item) ? item : undefined;
    },
    running,
    first: () => out.values().next().value,
    get size() {
      return out.size;
    },
    clear() {
      out.clear();
      lines.clear();
      running.clear();
    },
  };
}
