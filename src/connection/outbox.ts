/**
 * Answers on their way out. A flood of requests costs one small answer each; where the transport takes them slowly (a POST
 * each, a pipe that nobody reads) refusals wait here in order, a few under way at a time: ten thousand POSTs at once would
 * cost half a gigabyte. What a callback said never waits, since there are only as many of those as slots.
 *
 * Bounded by what is kept: when it is full nothing more is taken in, so a flood spends the server's memory and not the host's.
 */
import type { Response } from '../era/legacy.js';

export interface Outbox {
  /** Sends at once. */
  answer(response: Response): void;
  /** Sends when others have left. */
  refuse(response: Response): void;
  /** The peer has not taken what it was sent; more of it would be too much. */
  readonly full: boolean;
  clear(): void;
}

const bounds = { count: 50_000, idLength: 16 * 2 ** 20 };

/** `atOnce`: refusals that the transport works on at a time. A pipe takes one after the other, and each that waits there costs a listener. */
export function createOutbox(send: (response: Response) => Promise<void>, atOnce: number): Outbox {
  let waiting: Response[] = [];
  let next = 0;
  let underWay = 0;
  let unsent = 0;
  let idLength = 0;

  /** An answer that cannot be sent is lost with its connection; the transport reports that itself. */
  function fly(response: Response, landed: () => void): void {
    send(response).then(landed, landed);
  }

  function launch(response: Response): void {
    underWay++;
    fly(response, () => {
      underWay--;
      unsent--;
      idLength -= lengthOf(response);
      const following = waiting[next++];
      if (following === undefined) forget();
      else launch(following);
    });
  }

  function forget(): void {
    waiting = [];
    next = 0;
  }

  return {
    answer: (response) => fly(response, () => {}),
    refuse(response) {
      unsent++;
      idLength += lengthOf(response);
      if (underWay < atOnce) launch(response);
      else waiting.push(response);
    },
    get full() {
      return unsent >= bounds.count || idLength >= bounds.idLength;
    },
    clear() {
      for (const response of waiting.slice(next)) {
        unsent--;
        idLength -= lengthOf(response);
      }
      forget();
    },
  };
}

const lengthOf = ({ id }: Response): number => (typeof id === 'string' ? id.length : 0);
