import { test } from 'node:test';
import { soak } from './run.js';

test('B15, B17, B19, B20: 10 000 mixed requests over HTTP and stdio with cancels, kills and aborts: each id has one end, nothing is left, the process exits', async (t) => {
  t.diagnostic(JSON.stringify((await soak(10_000, 1, 900_000)).outcomes));
});
