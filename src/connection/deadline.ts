/**
 * The two clocks of a call made through `connection.*`: `timeout`, which stands still while the call's server requests are being
 * answered (behaviour 11), and `maxTotalTimeout`, which never does (behaviour 12).
 *
 *      running ──pause──▶ paused(n) ──resume (n = 0)──▶ running with what was left
 *         └────────── timeout or total ──────────▶ over
 */
import type { Clock } from '../clock.js';

export interface CallDeadline {
  pause(): void;
  resume(): void;
  /** Progress came: `timeout` starts anew. The total does not (behaviour 12). */
  progressed(): void;
  stop(): void;
}

export interface Spans {
  readonly timeout: number;
  readonly maxTotalTimeout: number;
}

export function startDeadline(clock: Clock, spans: Spans, expired: (which: 'timeout' | 'maxTotalTimeout') => void): CallDeadline {
  let left = spans.timeout;
  let since = clock.elapsed();
  let pauses = 0;
  let over = false;
  let disarm: () => void = () => {};

  const end = (which?: 'timeout' | 'maxTotalTimeout'): void => {
    if (over) return;
    over = true;
    disarm();
    stopTotal();
    if (which !== undefined) expired(which);
  };
  const arm = (): void => {
    since = clock.elapsed();
    disarm = clock.after(left, () => end('timeout'));
  };
  const stopTotal = clock.after(spans.maxTotalTimeout, () => end('maxTotalTimeout'));
  arm();

  return {
    pause() {
      if (over || pauses++ > 0) return;
      disarm();
      left = Math.max(0, left - (clock.elapsed() - since));
    },
    resume() {
      if (over || pauses === 0 || --pauses > 0) return;
      arm();
    },
    progressed() {
      if (over) return;
      left = spans.timeout;
      if (pauses > 0) return;
      disarm();
      arm();
    },
    stop: () => end(),
  };
}
