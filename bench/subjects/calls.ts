/**
 * A small callback in every pool and in the thread tier. Run as a script it prints the comparison as JSON, for a process on one core.
 *
 *   node dist/bench/subjects/calls.js ROUNDS SAMPLES
 */
import { type Compared, compare } from '../../src/cli/measure/compare.js';
import { baselines, basis } from './baselines.js';
import { isolated, nameOf } from './tiers.js';

const [rounds = 1, samples = 1] = process.argv.slice(2).map(Number);
const load = { bytes: 1024, lanes: 1 };
const thread = isolated(load).filter(({ name }) => name === nameOf('thread'));

const compared: Compared = await compare({
  name: 'callback alone, 1 KB, one at a time, all threads on one core',
  baseline: basis,
  cases: [...baselines(load), ...thread],
  rounds,
  samples,
});
console.log(JSON.stringify(compared));
process.exit(0);
