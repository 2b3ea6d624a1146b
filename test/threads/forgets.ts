/**
 * A script that forgets to close: it asks one callback, and ends. `node forgets.js <act>` of `hostile.mjs`; with `unasked` nothing is
 * asked at all.
 */
import { fixture, given, task } from '../isolation/given.js';

const act = process.argv[2];
const { isolation } = await given({ handler: fixture('hostile.mjs') });
if (act !== 'unasked') {
  const { type } = await isolation.run(task({ message: act })).outcome;
  console.log(type);
}
