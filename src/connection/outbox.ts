/**
 * Answers of one sort on their way out: refusals, what callbacks said, or what the client says by itself. A flood of requests costs
 * one small answer each; where the transport takes them slowly (a POST each, a pipe that nobody reads) they wait here in order, a
 * few under way at a time: ten thousand POSTs at once would cost half a gigabyte. No sort waits for another.
 *
 * Bounded by what is kept: when it is full nothing more is taken in, so a flood spends the server's memory and not the host's.
 */
import type { Response } from '../era/legacy.js';
import { bytesOf } from '../era/modern.js';
import { createLine } from '../notifications/line.js';
import type { RpcError, RpcResult, SendOptions } from './wire.js';

export interface Outbox {
  /** Sends when others have left. Settles as the sending does; what is cleared away counts as sent. */
  queue(response: Outgoing, options?: SendOptions): Promise<void>;
  /** The peer has not taken what it was sent; more of it would be too much. */
  readonly full: boolean;
  clear(): void;
}

export type Outgoing = Response | RpcResult | RpcError;

interface Waiting {
  readonly response: Outgoing;
  readonly options: SendOptions | undefined;
  readonly weight: number;
  leave(sending: Promise<void> | undefined): void;
}

const bounds = { count: 50_000, bytes: 16 * 2 ** 20 };

/** `atOnce`: how many the transport works on at a time. A pipe takes one after the other, and each that waits there costs a listener. */
export function createOutbox(send: (response: Outgoing, options?: SendOptions) => Promise<void>, atOnce: number): Outbox {
  const waiting = createLine<Waiting>();
  let underWay = 0;
  let unsent = 0;
  let bytes = 0;

  /** A refusal is as small as its id. Another answer is measured only where something is stuck already. */
  function weigh(response: Outgoing): number {
    const { id } = response;
    const weight = 'result' in response && unsent > 0 ? (bytesOf(response) ?? 0) : typeof id === 'string' ? id.length : 0;
    unsent++;
    bytes += weight;
    return weight;
  }

  function forget(weight: number): void {
    unsent--;
    bytes -= weight;
  }

  function launch({ response, options, weight, leave }: Waiting): void {
    underWay++;
    const sending = send(response, options);
    const landed = (): void => {
      underWay--;
      forget(weight);
      if (waiting.length > 0) launch(waiting.remove(0) as Waiting);
    };
    sending.then(landed, landed);
    leave(sending);
  }

  return {
    queue(response, options) {
      return new Promise((leave) => {
        const item: Waiting = { response, options, weight: weigh(response), leave };
        if (underWay < atOnce) launch(item);
        else waiting.push(item);
      });
    },
    get full() {
      return unsent >= bounds.count || bytes >= bounds.bytes;
    },
    clear() {
      for (const { weight, leave } of waiting.slice(0, waiting.length)) {
        forget(weight);
        leave(undefined);
      }
      waiting.cut(0);
    },
  };
}
