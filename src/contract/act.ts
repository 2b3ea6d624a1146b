/**
 * One callback on the stage, and the `context` it is handed.
 *
 * The plain data of behaviour 56 are the context's own properties; `signal`, `host` and `state` are made when first touched, since
 * an `AbortController` for every callback would cost more than the rest of the trip. Invariant: an act ends once, and nothing the
 * callback does with its context after that has an effect.
 */
import type { Json } from './handler.js';
import type { Caller, Switchboard } from './host.js';
import type { CallTask } from './messages.js';

export class Act implements Caller {
  readonly run: number;
  ended = false;
  calls = 0;
  waiting = 0;
  /** Lines printed so far; the runner's output capture counts here. */
  lines = 0;
  /** What `context.state.set` was given last. */
  written: { readonly value: unknown } | undefined = undefined;
  readonly #switchboard: Switchboard;
  #controller: AbortController | undefined = undefined;
  #aborted: string | undefined = undefined;
  #host: unknown = undefined;

  constructor(run: number, switchboard: Switchboard) {
    this.run = run;
    this.#switchboard = switchboard;
  }

  end(): void {
    this.ended = true;
    this.#switchboard.end(this);
  }

  abort(reason: string): void {
    this.#aborted = reason;
    this.#controller?.abort(new Error(reason));
  }

  signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted !== undefined) this.#controller.abort(new Error(this.#aborted));
    return this.#controller.signal;
  }

  host(): unknown {
    this.#host ??= this.#switchboard.hostOf(this);
    return this.#host;
  }
}

export class Context {
  readonly #act: Act;
  readonly #state: Json | undefined;

  constructor(task: CallTask, act: Act) {
    Object.assign(this, task.context);
    this.#act = act;
    this.#state = task.state;
  }

  get signal(): AbortSignal {
    return this.#act.signal();
  }

  get host(): unknown {
    return this.#act.host();
  }

  get state(): { get(): Json | undefined; set(next: Json): void } {
    const act = this.#act;
    const before = this.#state;
    return {
      get: () => (act.written === undefined ? before : (act.written.value as Json)),
      set(next) {
        if (!act.ended) act.written = { value: next };
      },
    };
  }
}
