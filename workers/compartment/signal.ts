/**
 * Abort signals as plugins see them: hardened shells around host signals, which stay outside. `AbortController` needs no
 * permission, since all it can abort is what the plugin itself started.
 */
import type { Harden } from './realm.js';

const { AbortController: Controller } = globalThis;

/** The host signal behind each shell. Keys are shells, so a plugin can hand in no other. */
const behind = new WeakMap<object, AbortSignal>();

const longest = 64;

export function shieldSignal(signal: AbortSignal, harden: Harden): object {
  const shell = harden(shellOf(signal));
  behind.set(shell, signal);
  return shell;
}

/** Undefined for whatever is no shell of ours. */
export function signalBehind(shell: unknown): AbortSignal | undefined {
  return typeof shell === 'object' && shell !== null ? behind.get(shell) : undefined;
}

export function controllerGlobals(harden: Harden): { AbortController: unknown } {
  class AbortController {
    readonly signal: object;
    readonly abort: (reason?: unknown) => void;
    constructor() {
      const controller = new Controller();
      this.signal = shieldSignal(controller.signal, harden);
      this.abort = (reason) => controller.abort(new Error(wordsOf(reason)));
      harden(this);
    }
  }
  return { AbortController };
}

function wordsOf(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  return reason instanceof Error ? String(reason.message) : 'This operation was aborted';
}

function shellOf(signal: AbortSignal): object {
  const reason = (): Error => new Error(wordsOf(signal.reason));
  const listeners = new Map<unknown, () => void>();
  return {
    get aborted() {
      return signal.aborted;
    },
    get reason() {
      return signal.aborted ? reason() : undefined;
    },
    throwIfAborted() {
      if (signal.aborted) throw reason();
    },
    addEventListener(type: unknown, listener: unknown) {
      if (type !== 'abort' || typeof listener !== 'function' || listeners.has(listener) || listeners.size >= longest) return;
      const heard = (): void => listener({ type: 'abort' });
      listeners.set(listener, heard);
      signal.addEventListener('abort', heard, { once: true });
    },
    removeEventListener(_type: unknown, listener: unknown) {
      const heard = listeners.get(listener);
      if (heard !== undefined) signal.removeEventListener('abort', heard);
      listeners.delete(listener);
    },
  };
}
