/**
 * Timers: numbers instead of handles, functions only, so many at once, cleared when the callback ends. A throw in one is
 * the runner's to blame on that callback, as in every tier.
 */
import type { Scope } from '../scope.js';

const longest = 2 ** 31 - 1;
const { setTimeout: after, setInterval: every, clearTimeout: clear } = globalThis;

type Callback = (...args: unknown[]) => unknown;

export function timerGlobals(max: number, scope: Scope): Record<string, unknown> {
  const running = new Map<number, () => void>();
  let last = 0;

  const start = (repeat: boolean, callback: unknown, delay: unknown, args: unknown[]): number => {
    if (typeof callback !== 'function') throw new TypeError('a timer takes a function');
    // Counted after the delay was read, which may set timers of its own.
    const ms = Math.min(Math.max(Number(delay) || 0, repeat ? 1 : 0), longest);
    if (running.size >= max) throw new RangeError(`no more than ${max} timers at once`);
    const id = ++last;
    let handle: NodeJS.Timeout | undefined;
    // Known to the scope before it exists, and cleared before it is forgotten: a stack that runs out on the way leaks nothing.
    const forget = scope.open('a timer', () => {
      clear(handle);
      running.delete(id);
    });
    handle = (repeat ? every : after)(() => {
      if (!repeat) stop(id);
      return (callback as Callback)(...args);
    }, ms);
    running.set(id, () => {
      clear(handle);
      running.delete(id);
      forget();
    });
    return id;
  };

  const stop = (id: unknown): void => running.get(id as number)?.();

  return {
    setTimeout: (callback: unknown, delay?: unknown, ...args: unknown[]) => start(false, callback, delay, args),
    setInterval: (callback: unknown, delay?: unknown, ...args: unknown[]) => start(true, callback, delay, args),
    clearTimeout: stop,
    clearInterval: stop,
  };
}
