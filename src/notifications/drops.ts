/**
 * What a full mailbox had to drop, counted by method and reported as one figure per second, never one by one and never not
 * at all. The names are the server's, so only the first {@link maxNames} are kept apart, each cut to {@link maxNameLength}.
 */
import type { Clock } from '../clock.js';

/** A report: how many were dropped since the last one, and of which methods (`''` stands for all names beyond the first 32). */
export interface Drops {
  readonly count: number;
  readonly byMethod: ReadonlyMap<string, number>;
}

export interface DropCounter {
  count(method: string): void;
  /** Reports what is not reported yet. */
  flush(): void;
  readonly total: number;
}

const maxNames = 32;
const maxNameLength = 200;
const reportEvery = 1000;

export function createDropCounter(clock: Clock, report: (drops: Drops) => void): DropCounter {
  let total = 0;
  let reported = 0;
  let byMethod = new Map<string, number>();
  let cancel: (() => void) | undefined;

  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    if (total === reported) return;
    const drops: Drops = { count: total - reported, byMethod };
    reported = total;
    byMethod = new Map();
    report(drops);
  };

  return {
    count(method) {
      total++;
      const known = byMethod.get(method);
      const name = known === undefined ? nameFor(method, byMethod) : method;
      byMethod.set(name, (known ?? byMethod.get(name) ?? 0) + 1);
      cancel ??= clock.after(reportEvery, flush);
    },
    flush,
    get total() {
      return total;
    },
  };
}

function nameFor(method: string, known: ReadonlyMap<string, number>): string {
  const name = method.length > maxNameLength ? method.slice(0, maxNameLength) : method;
  return known.has(name) || known.size < maxNames ? name : '';
}
