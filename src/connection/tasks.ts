/**
 * Follows a modern task to its end: polls, answers what it asks, each key once, and gives its final result (behaviour 28).
 *
 * A failing callback rejects and leaves the task alone; giving the wait up sends `tasks/cancel`.
 */
import { longestTimer } from '../clock.js';
import type { JsonObject } from '../contract/handler.js';
import { type Entry, responsesOf } from '../era/modern.js';
import { type Poll, readTask } from '../era/tasks.js';
import { BulkheadError } from '../errors.js';
import { answerEntries } from './asking.js';
import type { Call, Ticket } from './calls.js';
import { failUnended, finishCall, violation } from './ending.js';
import type { Link } from './link.js';
import { limitBytes } from './rounds.js';
import { createSpell, type Spell } from './spell.js';
import { bodyOf, type Params, type RpcResult, sameBody } from './wire.js';

/** What a task ended with: the result its call would have had, or the server's own JSON-RPC error. */
export type TaskEnd =
  | { readonly type: 'result'; readonly result: JsonObject }
  | { readonly type: 'error'; readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** Who waits for which task: giving the spell up gives the task up. */
export interface TaskWait {
  readonly link: Link;
  readonly taskId: string;
  readonly ticket: Ticket | undefined;
  readonly spell: Spell;
}

/** `created` is the task the server answered a call with; without it the first poll tells. */
export async function followTask(wait: TaskWait, created?: Params): Promise<TaskEnd> {
  const { link, taskId, ticket, spell } = wait;
  const cancel = (): void => void cancelTask(link, taskId).catch(() => {});
  const forget = spell.onEnd(cancel);
  const presented = new Map<string | undefined, string | undefined>();
  let rounds = 0;
  try {
    let poll = read(link, created ?? (await ask(wait)));
    for (;;) {
      const end = endOf(link, taskId, poll);
      if (end !== undefined) return end;
      const fresh = freshEntries(link, poll, presented);
      if (fresh.length > 0) await present(wait, fresh, ++rounds);
      await rest(wait, poll.interval);
      poll = read(link, await ask(wait));
      ticket?.deadline.progressed();
    }
  } finally {
    forget();
  }
}

/** Between two polls nothing is in flight, so the call's `timeout` stands still. */
async function rest({ ticket, spell }: TaskWait, interval: number): Promise<void> {
  ticket?.deadline.pause();
  try {
    await spell.sleep(interval);
  } finally {
    ticket?.deadline.resume();
  }
}

/** Takes over a call that the server answered with a task. Never rejects; a failure fails the call. */
export async function followCreated(link: Link, call: Call, created: RpcResult, extra: unknown): Promise<void> {
  link.calls.pause(call);
  const spell = createSpell(link.clock);
  call.onClose((reason) => reason !== 'ended' && spell.end(reason));
  try {
    const { taskId } = created.result;
    if (typeof taskId !== 'string') throw violation(link, 'the created task has no taskId');
    const end = await followTask({ link, taskId, ticket: call.ticket, spell }, created.result);
    const { jsonrpc, id } = call.request;
    if (end.type === 'result') finishCall(link, call, { jsonrpc, id, result: { resultType: 'complete', ...end.result } }, extra);
    else finishCall(link, call, { jsonrpc, id, error: end.error }, extra);
  } catch (error) {
    failUnended(link, call, error);
  }
}

export async function cancelTask(link: Link, taskId: string): Promise<void> {
  await link.request('tasks/cancel', { taskId });
}

/** A poll has the clock of its call, which ends the spell; one of its own where the client keeps the call's. */
function ask({ link, taskId, ticket, spell }: TaskWait): Promise<Params> {
  return link.request('tasks/get', { taskId }, { spell, ...(ticket !== undefined && { timeout: longestTimer }) });
}

function read(link: Link, task: Params): Poll {
  const verdict = readTask(task, link.limits.rounds);
  if (!verdict.ok) throw new BulkheadError('protocol', `task refused: ${verdict.reason}`, { serverId: link.serverId });
  return verdict.value;
}

function endOf(link: Link, taskId: string, { snapshot }: Poll): TaskEnd | undefined {
  switch (snapshot.status) {
    case 'completed':
      return { type: 'result', result: snapshot.result };
    case 'failed':
      return { type: 'error', error: snapshot.error };
    case 'cancelled':
      throw new BulkheadError('cancelled', 'the server cancelled the task', { serverId: link.serverId, requestId: taskId });
    default:
      return undefined;
  }
}

/** The entries not presented yet; a used key with another body is a violation. */
function freshEntries(link: Link, { snapshot }: Poll, presented: Map<string | undefined, string | undefined>): readonly Entry[] {
  if (snapshot.status !== 'input_required') return [];
  return snapshot.entries.filter(({ key, kind, params }) => {
    // Kept as long as the task lives, and a server may think of new keys as long as it likes: nothing of its size is.
    const [name, body] = [bodyOf(key), bodyOf({ kind, params })];
    const known = presented.has(name);
    const changed = known && !sameBody(presented.get(name), body);
    presented.set(name, body);
    if (changed)
      throw new BulkheadError('protocol', 'the task changed its question under a key already used', {
        serverId: link.serverId,
        requestId: key,
      });
    return !known;
  });
}

async function present({ link, taskId, ticket, spell }: TaskWait, entries: readonly Entry[], round: number): Promise<void> {
  ticket?.deadline.pause();
  try {
    const answered = await answerEntries(link, { entries, method: 'tasks/get', round, ticket }, spell);
    const inputResponses = responsesOf(answered);
    limitBytes(link, inputResponses);
    await link.request('tasks/update', { taskId, inputResponses }, { spell });
  } finally {
    ticket?.deadline.resume();
  }
}
