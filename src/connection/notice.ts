/**
 * The notice that the roots have changed (behaviour 50): one for all changes of a tick. It goes out at the end of the tick or ahead
 * of what the host sends next, so that a call made after `rootsChanged()` finds a server that has heard of it.
 */
import type { Link } from './link.js';

export interface RootsNotice {
  /** The roots have changed. */
  due(): void;
  /** Sends what is due; undefined where nothing is. Never rejects: a notice that cannot be sent is lost with its connection. */
  send(): Promise<void> | undefined;
  /** The session has ended: nothing waits for a notice that may never leave. */
  clear(): void;
}

export function createRootsNotice(link: Link): RootsNotice {
  let waiting = false;
  /** Under way: what is sent meanwhile waits for it too, so that nothing overtakes. */
  let sending: Promise<void> | undefined;

  const declared = (): boolean =>
    link.limits.roots.listChanged && link.session.era === 'legacy' && link.isolation().description.callbacks.includes('roots');

  function send(): Promise<void> | undefined {
    if (!waiting) return sending;
    waiting = false;
    if (!declared()) return sending;
    const sent = link.tap
      .send({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' })
      .catch(() => {})
      .finally(() => {
        if (sending === sent) sending = undefined;
      });
    sending = sent;
    return sent;
  }

  return {
    due() {
      if (waiting || !declared()) return;
      waiting = true;
      setImmediate(send);
    },
    send,
    clear() {
      waiting = false;
      sending = undefined;
    },
  };
}
