/**
 * What one guarded form costs the main thread, and what it is made of: line and server, which run there only in a bench; a
 * message to a thread and back; our own steps. Run as a script it prints the comparison as JSON, for a process on one core.
 *
 *   node dist/bench/subjects/work.js ROUNDS SAMPLES
 */
import { once } from 'node:events';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Case, type Compared, type Comparison, compare } from '../../src/cli/measure/compare.js';
import type { Progress } from '../../src/cli/measure/progress.js';
import { accepted, form, isAccepted } from './form.js';
import { nameOf } from './tiers.js';
import { type Ask, bareName, hosts, officialName } from './wire.js';

export const hopName = 'an empty message to a bare thread and back';
export const guardsName: string = nameOf('inline');
export const wholeName: string = nameOf('thread');

/** Main-thread processor time of each part, in the same rounds. Rounds are long: the scheduler's account of a thread moves in steps. */
export function compareWork(effort: Pick<Comparison, 'rounds' | 'samples'>, progress: Progress): Promise<Compared> {
  const question: Ask = { method: 'elicitation/create', params: form, check: isAccepted };
  const wanted = [bareName, officialName, guardsName, wholeName];
  return compare({
    name: 'main-thread work of a form of 6 fields',
    baseline: bareName,
    cases: [...hosts(question, 1, accepted).filter(({ name }) => wanted.includes(name)), hop],
    progress,
    ...effort,
  });
}

const hop: Case = {
  name: hopName,
  async open() {
    const worker = new Worker(new URL('./echoing.js', import.meta.url));
    await once(worker, 'online');
    let heard: (answer: unknown) => void = () => {};
    worker.on('message', (answer) => heard(answer));
    return {
      call: () =>
        new Promise((resolve) => {
          heard = resolve;
          worker.postMessage(1);
        }),
      close: async () => void (await worker.terminate()),
    };
  },
  check: (answer) => answer === 1,
};

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [rounds, samples] = process.argv.slice(2).map(Number);
  console.log(JSON.stringify(await compareWork({ rounds: rounds ?? 1, samples: samples ?? 1 }, () => {})));
  process.exit(0);
}
