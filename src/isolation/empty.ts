/** No handler module: no callbacks, no threads. */
import { fault } from '../contract/fault.js';
import { BulkheadError } from '../errors.js';
import type { Tier } from '../options.js';
import type { Description, Isolation, Settled } from './isolation.js';

export function createEmptyIsolation(tier: Tier): Isolation {
  const description: Description = Object.freeze({ callbacks: [], elicitationModes: [] });
  const nothing: Settled = {
    ...{ type: 'crashed', reason: 'load', fault: fault('LoadError', 'there is no handler module') },
    ...{ times: { queued: 0, run: 0 }, threadId: 0 },
  };
  return {
    description,
    run: () => ({ outcome: Promise.resolve(nothing), kill: () => {} }),
    consumer: noConsumer,
    reload: async () => description,
    stats: () => ({ tier, cells: 0, busy: 0, spares: 0, undead: 0, kills: 0, crashes: 0, completed: 0 }),
    close: async () => {},
  };
}

/** Where the module takes no notifications. */
export function noConsumer(): Promise<never> {
  return Promise.reject(new BulkheadError('load', 'the handler module exports neither handleNotification nor handleLog'));
}
