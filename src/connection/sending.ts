/**
 * What the tap does with a message of the client: requests are booked and labelled, a cancel names the leg that is live, everything
 * else passes untouched.
 */
import { isObject } from '../contract/form.js';
import { type Call, type CloseReason, isCallMethod, type Ticket } from './calls.js';
import type { Link } from './link.js';
import type { ProgressBook } from './progress.js';
import type { Requests } from './requests.js';
import type { TapEvents } from './tap.js';
import { isId, isNotification, isRequest, type RpcNotification, type RpcRequest, type SendOptions } from './wire.js';

export interface SendingRooms {
  readonly link: Link;
  readonly progress: ProgressBook;
  readonly requests: Requests;
  /** The call in whose scope the client is sending. */
  ticket(): Ticket | undefined;
}

export function createSending({ link, progress, requests, ticket: current }: SendingRooms): TapEvents['outbound'] {
  const { calls, session, tap } = link;

  async function sendRequest(message: RpcRequest, given: SendOptions | undefined): Promise<void> {
    // Given up while it waited for its handler to load.
    given?.requestSignal?.throwIfAborted();
    const ticket = isCallMethod(message.method) ? current() : undefined;
    const request = progress.label(session.outbound(message), ticket);
    const { options, watch } = linkSignal(given);
    const call = calls.open(request, options, ticket);
    watch(call);
    progress.track(call);
    try {
      await tap.send(request, options);
    } catch (error) {
      calls.close(call, 'call ended');
      throw error;
    }
  }

  /** On a stream per request, closing the stream is the cancel: the call hears it, and we can do it too. */
  function linkSignal(given: SendOptions | undefined): { options: SendOptions | undefined; watch(call: Call): void } {
    const theirs = given?.requestSignal;
    if (theirs === undefined) return { options: given, watch: () => {} };
    const controller = new AbortController();
    return {
      options: { ...given, requestSignal: controller.signal },
      watch(call) {
        const abort = (): void => calls.close(call, reasonOf(call));
        theirs.addEventListener('abort', abort, { once: true });
        call.onClose((reason) => {
          theirs.removeEventListener('abort', abort);
          if (reason !== 'ended') controller.abort(theirs.reason);
        });
      },
    };
  }

  /** Names the leg that is live; between two legs nothing is in flight and nothing is sent (behaviour 59). */
  async function sendCancelled(message: RpcNotification, options: SendOptions | undefined): Promise<void> {
    const id = isObject(message.params) ? message.params.requestId : undefined;
    const call = isId(id) ? calls.byClient(id) : undefined;
    if (call === undefined) return tap.send(message, options);
    const leg = call.live;
    calls.close(call, reasonOf(call));
    const reason = call.ticket?.reason;
    const params = { ...message.params, requestId: leg, ...(reason !== undefined && { reason }) };
    if (leg !== undefined) await tap.send({ ...message, params }, options);
  }

  return async (message, options) => {
    if (isRequest(message)) return sendRequest(message, options);
    if (!isNotification(message)) return requests.answered(message, options);
    if (message.method === 'notifications/cancelled') return sendCancelled(message, options);
    await tap.send(message, options);
    if (message.method === 'notifications/initialized') askForLogs(link);
  };
}

function reasonOf({ ticket }: Call): CloseReason {
  return ticket?.failure?.kind === 'timeout' ? 'timeout' : 'cancelled';
}

/** Asks a legacy server that offers it for log messages from the wanted level on (behaviour 54). */
function askForLogs({ limits, session, request }: Link): void {
  const level = limits.logLevel;
  if (level === undefined || session.serverCapabilities.logging === undefined) return;
  // A server that refuses goes on as it likes; there is nothing else to do.
  request('logging/setLevel', { level }).catch(() => {});
}
