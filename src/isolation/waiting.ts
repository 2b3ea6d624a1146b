/**
 * The callbacks that wait for a cell, first come, first served.
 *
 * While one waits, the process is held open. Nothing else may hold it then: a child process that starts, or the pause before it
 * does, is nobody's work yet, and a host that has nothing else to do would end with its callback unanswered.
 */
import { longestTimer } from '../clock.js';
import type { Job } from './seat.js';

export interface Waiting {
  readonly size: number;
  readonly jobs: readonly Job[];
  add(job: Job): void;
  /** It had its turn already, and comes first. */
  putFirst(job: Job): void;
  remove(job: Job): void;
  /** All of them; none waits any more. */
  clear(): readonly Job[];
}

export function createWaiting(): Waiting {
  let jobs: readonly Job[] = [];
  let hold: NodeJS.Timeout | undefined;

  function change(next: readonly Job[]): void {
    jobs = next;
    if (jobs.length > 0) hold ??= setInterval(() => {}, longestTimer);
    else {
      clearInterval(hold);
      hold = undefined;
    }
  }

  return {
    get size() {
      return jobs.length;
    },
    get jobs() {
      return jobs;
    },
    add: (job) => change([...jobs, job]),
    putFirst: (job) => change([job, ...jobs]),
    remove: (job) => change(jobs.filter((other) => other !== job)),
    clear() {
      const all = jobs;
      change([]);
      return all;
    },
  };
}
