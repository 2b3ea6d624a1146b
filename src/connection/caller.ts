/**
 * Calls made through `connection.*`: both clocks are ours (behaviours 11, 12, 14), and the caller gets our error where we know
 * better than the client what happened.
 *
 * The official client's timer would run on while a person answers, so a call gets the longest timer there is and an abort signal
 * of ours. The tap knows a call's requests by the async scope in which the client sends them.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { boolean, isPlain, milliseconds, wrong } from '../checks.js';
import { type Clock, longestTimer } from '../clock.js';
import { BulkheadError } from '../errors.js';
import { type LimitOptions, type Limits, resolveLimits } from '../options.js';
import { snapshotAssigns } from './assigns.js';
import type { Progress, Ticket } from './calls.js';
import { startDeadline } from './deadline.js';
import type { Params } from './wire.js';

/** Options of a call; others (`headers`, `cacheMode`, `toolDefinition`, …) are handed to the client as they are. */
export interface CallOptions {
  /** Idle ms; stands still while the call's server requests are answered. Default 60 000. */
  readonly timeout?: number;
  /** Wall-clock ms from the call's start, which nothing extends. Default 600 000. */
  readonly maxTotalTimeout?: number;
  /** ms that each callback for this call may take, one number or one per kind. Default: the connection's. */
  readonly handlerTimeout?: LimitOptions['handlerTimeout'];
  /** Plain data, at most 64 KiB, that callbacks get instead of the connection's. */
  readonly assigns?: { readonly [key: string]: unknown };
  readonly signal?: AbortSignal;
  readonly onprogress?: (progress: Progress) => void;
  /** Progress starts `timeout` anew, never the total. Default false. */
  readonly resetTimeoutOnProgress?: boolean;
  /** The token progress is reported under; one of our own where it is left out. */
  readonly progressToken?: string | number;
  /** Merged into the request's `_meta`. */
  readonly meta?: Params;
  readonly [option: string]: unknown;
}

/** What the client's method is to be called with. */
export interface ClientCallOptions {
  readonly timeout: number;
  readonly signal: AbortSignal;
  readonly [option: string]: unknown;
}

const tickets = new AsyncLocalStorage<{ readonly owner: object; readonly ticket: Ticket } | undefined>();

/** The call of `owner` in whose scope we are. */
export function currentTicket(owner: object): Ticket | undefined {
  const held = tickets.getStore();
  return held?.owner === owner ? held.ticket : undefined;
}

/** Runs `fn` outside any call: what it starts is not taken for that call's, though a stream is read in its async context. */
export function outsideCalls<T>(fn: () => T): T {
  return tickets.run(undefined, fn);
}

export interface CallerSettings {
  /** Identifies the connection. */
  readonly owner: object;
  readonly clock: Clock;
  readonly limits: Limits;
  readonly serverId: string;
}

/** Runs `fn` as one call: its requests share clocks, assigns and fate. */
export async function runCall<T>(
  settings: CallerSettings,
  fn: (options: ClientCallOptions) => Promise<T>,
  options: CallOptions,
): Promise<T> {
  if (typeof fn !== 'function') wrong('fn', 'a function that hands the options it gets to the client', fn);
  check(options);
  const { signal } = options;
  const { serverId, owner } = settings;
  const controller = new AbortController();
  let give: (error: BulkheadError) => void = () => {};
  const abandoned = new Promise<never>((_resolve, reject) => {
    give = reject;
  });
  abandoned.catch(() => {});
  const ticket: Ticket = openTicket(settings, options, (error) => {
    if (controller.signal.aborted) return;
    ticket.failure ??= error;
    controller.abort(error);
    give(ticket.failure);
  });
  const onAbort = (): void =>
    ticket.abandon(new BulkheadError('cancelled', 'the call was aborted by its caller', { serverId, cause: signal?.reason }));
  if (signal?.aborted) onAbort();
  signal?.addEventListener('abort', onAbort, { once: true });
  try {
    const run = (): Promise<T> => fn({ ...othersOf(options), timeout: longestTimer, signal: controller.signal });
    return await Promise.race([ticket.failure === undefined ? tickets.run({ owner, ticket }, run) : abandoned, abandoned]);
  } catch (error) {
    throw ticket.failure ?? error;
  } finally {
    ticket.deadline.stop();
    // What it began and left behind would wait with no clock at all.
    if (ticket.open > 0) controller.abort(new BulkheadError('cancelled', 'the call is over', { serverId }));
    signal?.removeEventListener('abort', onAbort);
  }
}

function openTicket({ clock, limits, serverId }: CallerSettings, options: CallOptions, abandon: Ticket['abandon']): Ticket {
  const { timeout = limits.timeout, maxTotalTimeout = limits.maxTotalTimeout, handlerTimeout, progressToken, meta } = options;
  const spans = { timeout, maxTotalTimeout };
  return {
    assigns: snapshotAssigns(options.assigns),
    handlerTimeout:
      handlerTimeout === undefined ? limits.handlerTimeout : resolveLimits({ handlerTimeout }, limits).handlerTimeout,
    deadline: startDeadline(clock, spans, (which) =>
      abandon(new BulkheadError('timeout', `the call took longer than its ${which} of ${spans[which]} ms`, { serverId })),
    ),
    meta: progressToken === undefined ? meta : { ...meta, progressToken },
    onprogress: options.onprogress,
    resetTimeoutOnProgress: options.resetTimeoutOnProgress ?? false,
    abandon,
    failure: undefined,
    reason: undefined,
    open: 0,
  };
}

const ownNames: readonly string[] = [
  ...['timeout', 'maxTotalTimeout', 'handlerTimeout', 'assigns', 'signal'],
  ...['onprogress', 'resetTimeoutOnProgress', 'progressToken', 'meta'],
];

/** The options that are not ours but the client's. */
function othersOf(options: CallOptions): { readonly [option: string]: unknown } {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !ownNames.includes(name)));
}

function check(options: CallOptions): void {
  if (!isPlain(options)) wrong('options', 'a plain object', options);
  for (const name of ['timeout', 'maxTotalTimeout'] as const) milliseconds(1)(name, options[name], 1);
  boolean('resetTimeoutOnProgress', options.resetTimeoutOnProgress, false);
  if (options.signal !== undefined && !(options.signal instanceof AbortSignal)) wrong('signal', 'an AbortSignal', options.signal);
  if (options.onprogress !== undefined && typeof options.onprogress !== 'function')
    wrong('onprogress', 'a function', options.onprogress);
  if (options.meta !== undefined && !isPlain(options.meta)) wrong('meta', 'a plain object', options.meta);
  const { progressToken } = options;
  if (progressToken !== undefined && typeof progressToken !== 'string' && !Number.isSafeInteger(progressToken))
    wrong('progressToken', 'a string or an integer', progressToken);
}
