/** A pool in which callbacks end when an episode says so, or find it full. */
import type { Isolation, Outcome, Run, Task } from '../../src/isolation/isolation.js';
import type { Random } from './random.js';

export interface SimulatedRun {
  readonly task: Task;
  ended: boolean;
  end(outcome: Outcome): void;
}

export function playedIsolation(
  callbacks: Isolation['description']['callbacks'],
  random: Random,
  runs: SimulatedRun[],
): Isolation {
  const description = { callbacks, elicitationModes: ['form' as const] };
  const counts = { cells: 0, busy: 0, spares: 0, undead: 0, kills: 0, crashes: 0, completed: 0 };
  return {
    description,
    run: (task) => play(task, runs, random),
    consumer: () => Promise.reject(new Error('no consumer is played')),
    reload: async () => description,
    stats: () => ({ tier: 'inline', ...counts }),
    close: async () => {},
  };
}

function play(task: Task, runs: SimulatedRun[], random: Random): Run {
  let resolve: (outcome: Awaited<Run['outcome']>) => void = () => {};
  const outcome: Run['outcome'] = new Promise((settle) => {
    resolve = settle;
  });
  const run: SimulatedRun = {
    task,
    ended: false,
    end(how) {
      if (run.ended) return;
      run.ended = true;
      resolve({ ...how, times: { queued: 0, run: 0 }, threadId: 1 });
    },
  };
  if (random.chance(0.05)) run.end({ type: 'busy', reason: 'pool' });
  else runs.push(run);
  return { outcome, kill: (reason) => run.end({ type: 'killed', reason }) };
}
