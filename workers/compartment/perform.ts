/**
 * The runner of a plugin's thread. It is the runner of every other thread but for what is loaded: not a module from a file, but a
 * plugin's text, in a compartment, in a locked-down realm, under the permission model.
 *
 * Whoever carries it hands in how messages leave. Invariant: a thread in which the realm cannot be locked down, or which has
 * permissions, answers the load task with that and runs nothing.
 */
import type { FromLanes, FromRunner } from '../../src/contract/messages.js';
import type { PluginProgram, PluginThread, SesImage } from '../../src/contract/plugin.js';
import { createPerformer, type Performer } from '../performer.js';
import { requireConfinement } from './confined.js';
import { createProgram } from './program.js';
import { openRealm } from './realm.js';

export function createPluginPerformer(
  { ses, program }: PluginThread,
  send: (message: FromRunner | FromLanes) => void,
): Performer {
  return createPerformer({
    send,
    stray: (run, found) => send({ type: 'stray', run, fault: found }),
    load(task, open) {
      const limits = { ...task.limits, bytes: Math.min(task.limits.bytes, program.maxResultBytes) };
      return open({ ...task, limits }, async () => openPlugin(ses, program));
    },
  });
}

function openPlugin(ses: SesImage, program: PluginProgram): unknown {
  requireConfinement();
  const realm = openRealm(ses);
  return createProgram(realm, program, (stream, line) => void process[stream].write(`${line}\n`));
}
