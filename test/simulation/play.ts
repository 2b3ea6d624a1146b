/** Plays episodes of one era, in a thread of their own: the test runner's bookkeeping of promises would cost more than they do. */
import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { type Episode, legacyEpisode } from './legacy.js';
import { modernEpisode } from './modern.js';
import { createRandom, type Random } from './random.js';

export interface Play {
  readonly era: 'legacy' | 'modern';
  readonly from: number;
  readonly to: number;
}

const openers: { readonly [era in Play['era']]: (random: Random) => Episode } = {
  legacy: legacyEpisode,
  modern: modernEpisode,
};

async function play({ era, from, to }: Play): Promise<string | undefined> {
  for (let seed = from; seed < to; seed++) {
    const random = createRandom(seed);
    const episode = openers[era](random);
    try {
      for (let left = 5 + random.below(25); left > 0; left--) {
        episode.act();
        await episode.world.breathe();
      }
      await episode.end();
    } catch (error) {
      const trace = episode.world.trace.slice(-60).map((entry) => JSON.stringify(entry));
      return [`${era} episode of seed ${seed}: ${(error as Error).message}`, ...trace].join('\n');
    }
  }
  return undefined;
}

if (!isMainThread) parentPort?.postMessage(await play(workerData as Play));
