/**
 * Where a callback is performed, in whatever thread this file was loaded: task in, one reply out.
 *
 * A stage holds one loaded module and performs one callback at a time. It builds the context, catches everything, and turns
 * results, refusals and throws into one envelope. Invariant: `perform` resolves exactly once and never rejects; what a callback
 * does after that changes nothing.
 */
import type { Described } from './describe.js';
import { describeModule } from './describe.js';
import { fault, toFault } from './fault.js';
import { exportOf, type HandlerModule, isRefusal, type Json, type Refusal } from './handler.js';
import { type Caller, createSwitchboard, type Switchboard } from './host.js';
import type { CallTask, FromRunner, LoadTask, Reply, RunnerLimits, ToRunner } from './messages.js';
import { encode, type Unplain } from './plain.js';

/** One callback on the stage; what it leaves behind is blamed on its `run`. */
export interface Act extends Caller {
  /** Lines printed so far; the runner's output capture counts here. */
  lines: number;
  /** Ends the act with a failure that happened outside its promise: a throw in one of its own timers. */
  fail(thrown: unknown): void;
}

export interface Surroundings {
  send(message: FromRunner): void;
  /** Runs `fn` so that whatever it starts can be traced back to `act`. */
  within<T>(act: Act, fn: () => T): T;
  /** The act is over; its reply is about to leave. */
  left(act: Act): void;
}

export interface Stage {
  perform(task: CallTask): Promise<Reply>;
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
  const contexts = new Map<number, Context>();
  return {
    perform: (task) =>
      new Promise((resolve) => {
        const act: Act = { run: task.run, ended: false, calls: 0, waiting: 0, lines: 0, fail };
        const context = new Context(task, act, switchboard);
        contexts.set(act.run, context);
        function end(reply: Reply): void {
          if (act.ended) return;
          act.ended = true;
          contexts.delete(act.run);
          switchboard.end(act);
          around.left(act);
          resolve(reply);
        }
        function fail(thrown: unknown): void {
          end({ type: 'crashed', reason: 'threw', fault: toFault(thrown), spoiled: true });
        }
        const said = around.within(act, () => call(module, task, context));
        said.then(
          (value) => end(envelope(value, context, limits)),
          (thrown) => end(thrownReply(thrown, limits)),
        );
      }),
    receive(message) {
      if (message.type === 'abort') contexts.get(message.run)?.abort(message.reason);
      else switchboard.answer(message);
    },
  };
}

/** A new promise around the call, so that a synchronous throw and a thenable's tricks end up in one place. */
async function call(module: HandlerModule, task: CallTask, context: Context): Promise<unknown> {
  const callback = module[exportOf[task.kind]] as ((...args: unknown[]) => unknown) | undefined;
  if (callback === undefined) throw new TypeError(`the handler module exports no "${exportOf[task.kind]}"`);
  if (task.kind === 'roots') return await callback(context);
  if (task.kind !== 'notification') return await callback(task.params, context);
  const { method, params } = task.params as { method: string; params?: unknown };
  return await callback(method, params, context);
}

/** What a callback is handed: the plain data of behaviour 56 as own properties, the rest made when first touched. */
class Context {
  readonly #act: Act;
  readonly #switchboard: Switchboard;
  #controller: AbortController | undefined;
  #aborted: string | undefined;
  #host: unknown;
  #state: Json | undefined;
  #next: { readonly value: unknown } | undefined;

  constructor(task: CallTask, act: Act, switchboard: Switchboard) {
    Object.assign(this, task.context);
    this.#act = act;
    this.#switchboard = switchboard;
    this.#state = task.state;
  }

  /** Made on demand: an `AbortController` for every task would cost more than the rest of the trip. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted !== undefined) this.#controller.abort(new Error(this.#aborted));
    return this.#controller.signal;
  }

  get host(): unknown {
    this.#host ??= this.#switchboard.hostOf(this.#act);
    return this.#host;
  }

  get state(): { get(): Json | undefined; set(next: Json): void } {
    return {
      get: () => (this.#next === undefined ? this.#state : (this.#next.value as Json)),
      set: (next) => {
        if (!this.#act.ended) this.#next = { value: next };
      },
    };
  }

  abort(reason: string): void {
    this.#aborted = reason;
    this.#controller?.abort(new Error(reason));
  }

  /** What `state.set` was given last. */
  static written(context: Context): { readonly value: unknown } | undefined {
    return context.#next;
  }
}

function envelope(value: unknown, context: Context, limits: RunnerLimits): Reply {
  if (isRefusal(value)) return refused(value, limits);
  const answer = encode(value, limits.bytes);
  if (!answer.ok) return unplain(answer, '');
  const written = Context.written(context);
  const state = written === undefined ? undefined : encode(written.value, limits.bytes);
  if (state?.ok === false) return unplain(state, 'context.state: ');
  return { type: 'returned', json: answer.json, state: state?.json };
}

function thrownReply(thrown: unknown, limits: RunnerLimits): Reply {
  return isRefusal(thrown) ? refused(thrown, limits) : { type: 'crashed', reason: 'threw', fault: toFault(thrown) };
}

/** Behaviour 7: a refusal is exact, or it is malformed. */
function refused(refusal: Refusal, limits: RunnerLimits): Reply {
  try {
    const { code, message, data } = refusal;
    const encoded = encode(data === undefined ? { code, message } : { code, message, data }, limits.bytes);
    if (Number.isSafeInteger(code) && typeof message === 'string' && encoded.ok)
      return { type: 'refused', json: encoded.json ?? '' };
    const found = encoded.ok ? 'a code that is no integer, or a message that is no string' : encoded.found;
    return { type: 'crashed', reason: 'refusal', fault: fault('RefusalError', `malformed refusal: ${found}`) };
  } catch (thrown) {
    return { type: 'crashed', reason: 'refusal', fault: toFault(thrown) };
  }
}

function unplain({ reason, path, found }: Unplain, what: string): Reply {
  const message = `${what}expected plain data at "${path}", found ${found}`;
  return { type: 'crashed', reason: reason === 'size' ? 'size' : 'result', fault: fault('ResultError', message), path };
}
