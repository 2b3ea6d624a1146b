/**
 * Where a callback is performed, in whatever thread this file was loaded: task in, one reply out.
 *
 * A stage holds one loaded module and performs one callback at a time, or the notifications of many connections beside each
 * other. It builds the context, catches everything, and turns results, refusals and throws into one envelope. Invariant:
 * `perform` never throws and never rejects; what a callback does after its reply changes nothing.
 */
import { Act, Context } from './act.js';
import { type Described, describeModule } from './describe.js';
import { returnedReply, thrownReply } from './envelope.js';
import { type Fault, fault, toFault } from './fault.js';
import { exportOf, type HandlerModule } from './handler.js';
import { createSwitchboard } from './host.js';
import { createLanes } from './lanes.js';
import type { CallTask, FromLanes, FromRunner, LoadTask, Reply, ToRunner } from './messages.js';

export interface Surroundings {
  send(message: FromRunner | FromLanes): void;
  /** Runs `fn` so that whatever it starts can be traced back to `act`. */
  within<T>(act: Act, fn: () => T): T;
  /** The act is over; its reply is about to leave. */
  left(act: Act): void;
}

export interface Stage {
  perform(task: CallTask): Promise<Reply> | Reply;
  receive(message: ToRunner): void;
  /** Ends a notification that failed outside its promise. False where it is none: the host decides. */
  fell(run: number, fault: Fault): boolean;
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

/** Taken before any callback runs: one that replaces `JSON.parse` must not see what the others are asked. */
const { parse } = JSON;

interface Beside {
  readonly act: Act;
  leave(reply: Reply): void;
}

function createStage(module: HandlerModule, { services, limits }: LoadTask, around: Surroundings): Stage {
  const switchboard = createSwitchboard(services, limits, around.send);
  const beside = new Map<number, Beside>();
  const lanes = createLanes(playBeside, around.send);
  let onStage: Act | undefined;

  function ended(act: Act, reply: Reply): Reply {
    if (act.ended) return reply;
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

  /** Several of these may be on the stage at once. */
  function playBeside(task: CallTask): Promise<Reply> {
    const act = new Act(task.run, switchboard);
    return new Promise((resolve) => {
      const leave = (reply: Reply): void => {
        beside.delete(act.run);
        resolve(reply);
      };
      beside.set(act.run, { act, leave });
      const said = around.within(act, () => play(task, act));
      if (said instanceof Promise) void said.then(leave);
      else leave(said);
    });
  }

  return {
    perform(task) {
      const act = new Act(task.run, switchboard);
      onStage = act;
      return around.within(act, () => play(task, act));
    },
    receive(message) {
      switch (message.type) {
        case 'abort':
          return (onStage?.run === message.run ? onStage : beside.get(message.run)?.act)?.abort(message.reason);
        case 'answer':
        case 'failed':
          return switchboard.answer(message);
        default: {
          const leaving = lanes.receive(message);
          if (leaving !== undefined) beside.get(leaving)?.act.abort('closed');
        }
      }
    },
    fell(run, found) {
      const fallen = beside.get(run);
      fallen?.leave(ended(fallen.act, { type: 'crashed', reason: 'threw', fault: found }));
      return fallen !== undefined;
    },
  };
}

function call(module: HandlerModule, task: CallTask, context: Context): unknown {
  const callback = module[exportOf[task.kind]] as ((...args: unknown[]) => unknown) | undefined;
  if (callback === undefined) throw new TypeError(`the handler module exports no "${exportOf[task.kind]}"`);
  if (task.kind === 'roots') return callback(context);
  const given = task.json === undefined ? task.params : parse(task.json);
  if (task.kind !== 'notification') return callback(given, context);
  const { method, params } = given as { method: string; params?: unknown };
  return callback(method, params, context);
}

export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function';
}

/** Adopts a thenable, whose own `then` may lie, throw or settle twice. A plain promise costs one promise more, no other. */
function follow<T>(said: PromiseLike<unknown>, returned: (value: unknown) => T, thrown: (error: unknown) => T): Promise<T> {
  return Promise.prototype.then.call(Promise.resolve(said), returned, thrown) as Promise<T>;
}
