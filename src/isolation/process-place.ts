/**
 * A cell in a child process. It may be prepared: its thread started and the plugin loaded before anybody asked for it; whoever
 * then starts a cell adopts it, and its load is answered with what the thread said long ago.
 */
import { afterSilence, type Clock } from '../clock.js';
import { fault } from '../contract/fault.js';
import type { LoadTask } from '../contract/messages.js';
import type { Cell, CellEvents } from './cell.js';
import type { Child } from './process-child.js';
import type { CellListener } from './process-work.js';

export interface Place extends Cell {
  /** It can still be adopted. */
  readonly sound: boolean;
  prepare(task: LoadTask): void;
  adopt(events: CellEvents): void;
}

/** A thread that is not gone this long after it was told to end is unstoppable, and its child has to go. */
const patience = 200;

export interface PlaceOptions {
  readonly child: Child;
  readonly cell: number;
  readonly clock: Clock;
  /** A load went well. */
  loaded(task: LoadTask): void;
  /** Another child, for a load whose child was ended by something else that ran there. */
  another(): Child;
}

export function createPlace({ child: first, cell, clock, loaded, another }: PlaceOptions): Place {
  let child = first;
  let events: CellEvents | undefined;
  let settle: ((reply: unknown) => void) | undefined;
  let prepared: 'no' | 'loading' | { readonly reply: unknown } = 'no';
  let over = false;
  let dead = false;
  let last: ((data: unknown) => void) | undefined;
  let disarm = () => {};

  /** The load in hand, and whether it was moved to another child before. */
  let loading: LoadTask | undefined;
  let moved = false;

  const listener: CellListener = {
    reply(reply) {
      const done = settle;
      settle = undefined;
      loading = undefined;
      if (over) return;
      if (done === undefined) prepared = { reply };
      else done(reply);
    },
    message: (data) => (over ? last : events?.message)?.(data),
    violated: () => void (over || events?.violated()),
    stuck: (run) => void (over || events?.stuck?.(run)),
    died(memory, found) {
      if (over || move()) return;
      over = true;
      events?.died({ reason: memory ? 'memory' : 'exit', fault: found });
    },
    gone() {
      // Its load has moved on: the child that is gone is no longer its own.
      if (dead || child.has(cell)) return;
      listener.died(false, fault('ExitError', 'the thread exited'));
      dead = true;
      disarm();
      events?.gone();
    },
  };

  /** A process that ended under a load: once, the load goes elsewhere, since it may well be no fault of its own. */
  function move(): boolean {
    if (loading === undefined || moved || child.open || events === undefined) return false;
    moved = true;
    child = another();
    child.start(cell, listener);
    child.post({ type: 'run', cell, task: loading });
    return true;
  }

  child.start(cell, listener);

  return {
    get sound() {
      return !over && child.open;
    },
    get threadId() {
      return child.pid;
    },
    prepare(task) {
      prepared = 'loading';
      loading = task;
      child.post({ type: 'run', cell, task });
    },
    adopt(listener) {
      events = listener;
    },
    run(task, done) {
      const ready = prepared;
      prepared = 'no';
      if (typeof ready === 'object') {
        queueMicrotask(() => over || done(ready.reply));
        return;
      }
      if (task.type === 'load') loading = task;
      settle = (reply) => {
        if (task.type === 'load' && (reply as { type?: unknown } | null)?.type === 'loaded') loaded(task);
        done(reply);
      };
      if (ready === 'no') child.post({ type: 'run', cell, task });
    },
    send: (message) => void (over || child.post({ type: 'send', cell, message })),
    attend: (atWork) => void (over || child.post({ type: 'attend', cell, atWork })),
    active: () => child.active(cell),
    kill(hearLast) {
      over = true;
      last ??= hearLast;
      if (dead) return;
      child.post({ type: 'kill', cell });
      disarm = afterSilence(clock, patience, () => child.retire());
    },
    // Its process ends with the host, and is killed when the thread does not end.
    disown: () => {},
  };
}
