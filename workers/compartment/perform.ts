/**
 * The runner of a plugin's thread: tasks in, one reply each. It is the runner of every other thread but for what is loaded: not
 * a module from a file, but a plugin's text, in a compartment, in a locked-down realm, under the permission model.
 *
 * Whoever carries it hands in how messages leave. Invariant: a thread in which the realm cannot be locked down, or which has
 * permissions, answers the load task with that and runs nothing.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Act } from '../../src/contract/act.js';
import { fault } from '../../src/contract/fault.js';
import type { FromLanes, FromRunner, LoadTask, Reply, RunnerTask, ToRunner } from '../../src/contract/messages.js';
import type { PluginProgram, PluginThread, SesImage } from '../../src/contract/plugin.js';
import { openStage, type Stage } from '../../src/contract/stage.js';
import { watchLateFailures } from '../late.js';
import { captureOutput, type Output } from '../output.js';
import { requireConfinement } from './confined.js';
import { createProgram } from './program.js';
import { openRealm } from './realm.js';

export interface Performer {
  perform(task: RunnerTask): Promise<Reply> | Reply;
  receive(message: ToRunner): void;
}

export function createPerformer({ ses, program }: PluginThread, send: (message: FromRunner | FromLanes) => void): Performer {
  const acts = new AsyncLocalStorage<Act>();
  let stage: Stage | undefined;
  let output: Output | undefined;
  let running = 0;

  watchLateFailures({
    current: () => acts.getStore(),
    busy: () => running > 0,
    stray: (run, found) => send({ type: 'stray', run, fault: found }),
    fell: (run, found) => stage?.fell(run, found) || send({ type: 'fell', run, fault: found }),
  });

  async function load(task: LoadTask): Promise<Reply> {
    const limits = { ...task.limits, bytes: Math.min(task.limits.bytes, program.maxResultBytes) };
    output = captureOutput(limits, send, () => acts.getStore());
    const opened = await openStage({ ...task, limits }, async () => openPlugin(ses, program), {
      send,
      within(act, fn) {
        running++;
        return acts.run(act, fn);
      },
      left(act) {
        running--;
        output?.close(act);
      },
    });
    stage = opened.stage;
    return opened.reply;
  }

  return {
    perform(task) {
      if (task.type === 'load') return load(task);
      if (stage === undefined) return { type: 'crashed', reason: 'load', fault: fault('LoadError', 'no plugin is loaded') };
      return stage.perform(task);
    },
    receive: (message) => stage?.receive(message),
  };
}

function openPlugin(ses: SesImage, program: PluginProgram): unknown {
  requireConfinement();
  const realm = openRealm(ses);
  return createProgram(realm, program, (stream, line) => void process[stream].write(`${line}\n`));
}
