/**
 * What every runner does with its tasks: the first loads, the others are performed on the stage that came of it.
 *
 * What a callback prints, and what fails outside its promise, is traced to it through async context. What is loaded, and how messages
 * leave, is the runner's own.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Act } from '../src/contract/act.js';
import { type Fault, fault } from '../src/contract/fault.js';
import type { FromLanes, FromRunner, LoadTask, Reply, RunnerTask, ToRunner } from '../src/contract/messages.js';
import { openStage, type Stage, type Surroundings } from '../src/contract/stage.js';
import { watchLateFailures } from './late.js';
import { captureOutput, type Output } from './output.js';

export interface Performer {
  perform(task: RunnerTask): Promise<Reply> | Reply;
  receive(message: ToRunner): void;
}

/** What a load comes to; without a stage nothing can be performed. */
export interface Opened {
  readonly reply: Reply;
  readonly stage?: Stage;
}

/** Makes a stage of what `module` gives. */
export type Open = (task: LoadTask, module: (url: string) => Promise<unknown>) => Promise<Opened>;

export interface PerformerSettings {
  send(message: FromRunner | FromLanes): void;
  load(task: LoadTask, open: Open): Promise<Opened>;
  /** Something failed that no running callback is to blame for. */
  stray(run: number | null, found: Fault): void;
}

export function createPerformer({ send, load, stray }: PerformerSettings): Performer {
  const acts = new AsyncLocalStorage<Act>();
  let stage: Stage | undefined;
  let output: Output | undefined;
  let running = 0;

  watchLateFailures({
    current: () => acts.getStore(),
    busy: () => running > 0,
    stray,
    fell: (run, found) => stage?.fell(run, found) || send({ type: 'fell', run, fault: found }),
  });

  const around: Surroundings = {
    send,
    within(act, fn) {
      running++;
      return acts.run(act, fn);
    },
    left(act) {
      running--;
      output?.close(act);
    },
  };

  const open: Open = (task, module) => {
    output = captureOutput(task.limits, send, () => acts.getStore());
    return openStage(task, module, around);
  };

  async function begin(task: LoadTask): Promise<Reply> {
    const opened = await load(task, open);
    stage = opened.stage;
    return opened.reply;
  }

  return {
    perform(task) {
      if (task.type === 'load') return begin(task);
      if (stage === undefined) return { type: 'crashed', reason: 'load', fault: fault('LoadError', 'nothing is loaded') };
      return stage.perform(task);
    },
    receive: (message) => stage?.receive(message),
  };
}
