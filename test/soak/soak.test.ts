import { test } from 'node:test';
import { soak } from './run.js';

test('B15, B17, B19, B20: 600 mixed requests over HTTP and stdio with cancels, kills and aborts: each id has one end, nothing is left, the process exits', async (t) => {
  t.diagnostic(JSON.stringify((await soak(600, 1, 150_000)).outcomes));
});
