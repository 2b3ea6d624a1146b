/**
 * Where a callback is performed, in whatever thread this file was loaded: task in, one reply out.
 *
 * A stage holds one loaded module and performs one callback at a time. It builds the context, catches everything, and turns
 * results, refusals and throws into one envelope. Invariant: `perform` never throws and never rejects; what a callback does after
 * its reply changes nothing.
 */
import { Act, Context } from './act.js';
import { type Described, describeModule } from './describe.js';
import { returnedReply, thrownReply } from './envelope.js';
import { fault, toFault } from './fault.js';
import { exportOf, type HandlerModule } from './handler.js';
import { createSwitchboard } from './host.js';
import type { CallTask, FromRunner, LoadTask, Reply, ToRunner } from './messages.js';

export interface Surroundings {
  send(message: FromRunner): void;
  /** Runs `fn` so that whatever it starts can be traced back to `act`. */
  within<T>(act: Act, fn: () => T): T;
  /** The act is over; its reply is about to leave. */
  left(act: Act): void;
}

export interface Stage {
  perform(task: CallTask): Promise<Reply> | Reply;
  receive(message: ToRunner): void;
}

/** Imports the module through `load` and makes a stage of it, or says why not. */
export async function openStage(
  task: LoadTask,
  load: (url: string) => Promise<unknown>,
  around: Surroundings,
): Promise<{ readonly reply: Reply; readonly stage?: Stage }> {
  let described: Described;
  try {
    described = describeModule(await load(task.url));
  } catch (thrown) {
    return { reply: { type: 'crashed', reason: 'load', fault: toFault(thrown) } };
  }
  if (!described.ok) return { reply: { type: 'crashed', reason: 'load', fault: fault('LoadError', described.reason) } };
  const { module, description } = described;
  return { reply: { type: 'loaded', description }, stage: createStage(module, task, around) };
}

function createStage(module: HandlerModule, { services, limits }: LoadTask, around: Surroundings): Stage {
  const switchboard = createSwitchboard(services, limits, around.send);
  let onStage: Act | undefined;

  function ended(act: Act, reply: Reply): Reply {
    act.end();
    around.left(act);
    return reply;
  }

  /** One promise for an asynchronous callback and none for a synchronous one: with async context on, each costs. */
  function play(task: CallTask, act: Act): Promise<Reply> | Reply {
    const refuse = (thrown: unknown) => ended(act, thrownReply(thrown, limits));
    const answer = (value: unknown) => ended(act, returnedReply(value, act.written, limits));
    try {
      const said = call(module, task, new Context(task, act));
      return isThenable(said) ? follow(said, answer, refuse) : answer(said);
    } catch (thrown) {
      return refuse(thrown);
    }
  }

  return {
    perform(task) {
      const act = new Act(task.run, switchboard);
      onStage = act;
      return around.within(act, () => play(task, act));
    },
    receive(message) {
      if (message.type === 'ping') around.send({ type: 'pong' });
      else if (message.type !== 'abort') switchboard.answer(message);
      else if (onStage?.run === message.run) onStage.abort(message.reason);
    },
  };
}

function call(module: HandlerModule, task: CallTask, context: Context): unknown {
  const callback = module[exportOf[task.kind]] as ((...args: unknown[]) => unknown) | undefined;
  if (callback === undefined) throw new TypeError(`the handler module exports no "${exportOf[task.kind]}"`);
  if (task.kind === 'roots') return callback(context);
  if (task.kind !== 'notification') return callback(task.params, context);
  const { method, params } = task.params as { method: string; params?: unknown };
  return callback(method, params, context);
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Adopts a thenable, whose own `then` may lie, throw or settle twice. A plain promise costs one promise more, no other. */
function follow<T>(said: PromiseLike<unknown>, returned: (value: unknown) => T, thrown: (error: unknown) => T): Promise<T> {
  return Promise.prototype.then.call(Promise.resolve(said), returned, thrown) as Promise<T>;
}
