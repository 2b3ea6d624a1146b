/**
 * Legacy server requests: each gets exactly one answer under its id, or none if it was cancelled (behaviours 4 to 9, 17 to 21).
 *
 *      arrives ─▶ checks ─▶ running ─▶ answered
 *                   │          └─ cancelled by the server, or the connection closed ─▶ silent
 *                   └▶ refused (answered at once, no worker spent)
 */
import type { Denial, InputRequest, Running, Said } from '../answer.js';
import type { JsonObject, RequestId } from '../contract/handler.js';
import { errorOf, kindOf, type Response, resultOf, taskOf } from '../era/legacy.js';
import { codes, texts } from '../errors.js';
import type { KillReason } from '../isolation/isolation.js';
import type { InputOutcome } from '../journal.js';
import { fail, textOf } from '../verdict.js';
import type { Call } from './calls.js';
import { type Link, makeRequest } from './link.js';
import { createOutbox, type Outbox, type Outgoing } from './outbox.js';
import { bodyOf, keyOf, type RpcRequest, type SendOptions, sameBody } from './wire.js';

export interface Requests {
  /** Takes a request of the server; `related` is the request of ours on whose stream it came. False: not ours, the client's. */
  receive(message: RpcRequest, related: RequestId | undefined): boolean;
  /** Refuses one that is not looked at; dropped where the server does not read its answers. */
  turnDown(response: Response): void;
  /** The client's own answer to a request that was not ours. */
  answered(message: Outgoing, options: SendOptions | undefined): Promise<void>;
  /** The server gave its request up: kill, and say nothing. False: no such request here. */
  cancelled(id: RequestId): boolean;
  /** The connection is gone: kill all, say nothing. */
  close(): void;
}

interface Live {
  readonly message: RpcRequest;
  /** Stands for its params, read once: a server can send many tiny twins of one huge request. */
  body(): string | undefined;
  kill(reason: KillReason): void;
  /** Settles without an answer. */
  silence(outcome: InputOutcome, reason: KillReason): void;
}

/** Where a request belongs (behaviour 13). */
interface Tie {
  readonly call: Call | undefined;
  readonly relatedRequestId: RequestId | null;
  /** It came on the stream of a call that has ended. */
  readonly late: boolean;
}

export function createRequests(link: Link): Requests {
  const live = new Map<string, Live>();
  let boxes = openBoxes(link);
  const unread = (): boolean => boxes.refusals.full || boxes.answers.full || boxes.clients.full;

  function receive(message: RpcRequest, related: RequestId | undefined): boolean {
    const twin = live.get(keyOf(message.id));
    if (twin !== undefined) {
      report(link, message, twin);
      return true;
    }
    if (unread()) {
      link.dropped({ what: 'request', reason: 'unread answers', count: 1, method: message.method });
      return true;
    }
    const kind = kindOf(message.method);
    if (kind === undefined) return false;
    const tie = tieOf(link, message, related);
    const request = makeRequest(link, {
      kind,
      params: message.params,
      requestId: message.id,
      relatedRequestId: tie.relatedRequestId,
      ticket: tie.call?.ticket,
      entry: undefined,
    });
    begin(message, request, tie);
    return true;
  }

  function begin(message: RpcRequest, request: InputRequest, tie: Tie): void {
    const { answer } = link;
    const undeclared = answer.declared(request);
    if (undeclared !== undefined) return refuse(message, request, undeclared);
    request.journal.passed('capability');
    request.journal.passed('duplicate');
    const free = link.slots.take();
    if (free === undefined) return refuse(message, request, busy(request));
    request.journal.passed('concurrency');
    const asked = overBudget(link, request) ?? (tie.late ? tooLate(request) : answer.admit(request));
    if (asked.ok) {
      if (asked.value.kind === 'url') link.expectCompletion(asked.value.params.elicitationId);
      return track(message, request, tie, answer.run(request, asked.value), free);
    }
    free();
    refuse(message, request, asked);
  }

  function track(message: RpcRequest, request: InputRequest, { call }: Tie, running: Running, free: () => void): void {
    const key = keyOf(message.id);
    let open = true;
    let silenced: InputOutcome | undefined;
    let read: { readonly body: string | undefined } | undefined;
    const entry: Live = {
      message,
      body() {
        read ??= { body: bodyOf(message.params) };
        return read.body;
      },
      kill(reason) {
        free();
        running.kill(reason);
      },
      silence(outcome, reason) {
        if (!settle()) return;
        silenced = outcome;
        running.kill(reason);
      },
    };
    const settle = (): boolean => {
      if (!open) return false;
      open = false;
      live.delete(key);
      call?.inputs.delete(entry);
      call?.ticket?.deadline.resume();
      free();
      return true;
    };
    live.set(key, entry);
    call?.inputs.add(entry);
    call?.ticket?.deadline.pause();
    void running.said.then((said) => {
      if (silenced !== undefined) request.journal.close(silenced);
      else if (settle()) reply((response) => post(boxes.answers, response), message, request, said);
    });
  }

  function turnDown(response: Response): void {
    if (!unread()) post(boxes.refusals, response);
  }

  function refuse(message: RpcRequest, request: InputRequest, denial: Denial): void {
    turnDown(errorOf(message.id, { code: denial.code, message: textOf(denial), ...(denial.data && { data: denial.data }) }));
    request.journal.close('refused');
  }

  return {
    receive,
    turnDown,
    answered: (message, options) => boxes.clients.queue(message, options),
    cancelled(id) {
      const entry = live.get(keyOf(id));
      entry?.silence('cancelled', 'cancelled');
      return entry !== undefined;
    },
    close() {
      for (const entry of [...live.values()]) entry.silence('killed', 'closed');
      for (const box of Object.values(boxes)) box.clear();
      // What is under way on a dead transport may be so for ever; another session does not wait for it.
      boxes = openBoxes(link);
    },
  };
}

function openBoxes({ tap }: Link): { readonly [sort in 'refusals' | 'answers' | 'clients']: Outbox } {
  const few = tap.streams ? 32 : 1;
  const box = (atOnce: number): Outbox => createOutbox(tap.send, atOnce);
  // What a callback said never waits: there are only as many of those as slots.
  return { refusals: box(few), answers: box(Number.POSITIVE_INFINITY), clients: box(few) };
}

/** What cannot be sent is lost with its connection; the transport reports that itself. */
function post(box: Outbox, response: Response): void {
  box.queue(response).catch(() => {});
}

function tieOf(link: Link, message: RpcRequest, related: RequestId | undefined): Tie {
  const task = taskOf(message.params)?.taskId;
  const polling = task === undefined ? undefined : link.calls.polling(task);
  const alive = polling !== undefined || (task !== undefined && link.tasks.has(task));
  if (related !== undefined && link.tap.streams) {
    const call = link.calls.byWire(related) ?? polling;
    return tied(call, call === undefined && !alive && !link.waits(related));
  }
  return tied(polling ?? (link.tap.streams ? undefined : link.calls.only()), false);
}

function tied(call: Call | undefined, late: boolean): Tie {
  return { call, relatedRequestId: call?.request.id ?? null, late };
}

function busy(request: InputRequest): Denial {
  return request.journal.refused('concurrency', { ...fail(codes.busy, texts.busy), data: { reason: 'busy' } });
}

function overBudget({ answer }: Link, request: InputRequest): Denial | undefined {
  const denial = answer.spend(request);
  return denial && request.journal.refused('budget', denial);
}

function tooLate(request: InputRequest): Denial {
  return request.journal.refused('guard', fail(codes.invalidParams, 'The call this request belongs to has ended'));
}

/** Behaviour 19: a second request under a live id is never answered, since any answer would be taken for the first's. */
function report(link: Link, message: RpcRequest, first: Live): void {
  const same = message.method === first.message.method && sameBody(bodyOf(message.params), first.body());
  link.dropped({ what: 'request', reason: same ? 'redelivered' : 'duplicate id', count: 1, method: message.method });
}

function reply(send: (response: Response) => void, message: RpcRequest, request: InputRequest, said: Said): void {
  const { journal } = request;
  const error = (code: number, text: string, data?: JsonObject): void =>
    send(errorOf(message.id, { code, message: text, ...(data && { data }) }));
  switch (said.type) {
    case 'answered':
      send(resultOf(message.id, said.value, taskOf(message.params)));
      return journal.close('answered');
    case 'refused':
      send(errorOf(message.id, said));
      return journal.close('refused', said.code);
    case 'busy':
      error(codes.busy, texts.busy, { reason: 'busy' });
      return journal.close('refused', codes.busy);
    case 'killed':
      error(codes.internal, texts.internal);
      return journal.close('killed', codes.internal);
    case 'failed':
    case 'closed':
      error(codes.internal, texts.internal);
      return journal.close('failed', codes.internal);
  }
}
