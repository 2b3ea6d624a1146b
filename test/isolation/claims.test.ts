import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.js';
import { type CallTask, type LoadTask, readReply, runnerLimits } from '../../src/contract/messages.js';
import type { PluginProgram } from '../../src/contract/plugin.js';
import type { Carrier, Cell } from '../../src/isolation/cell.js';
import { createCompartmentCarrier } from '../../src/isolation/compartment.js';
import { createThreadCarrier } from '../../src/isolation/thread.js';
import { defaultThreads } from '../../src/threads.js';
import { context, deferred, fixture } from './given.js';

const source = 'exports.handleElicitation = (params) => params;';
const callbacks: PluginProgram['callbacks'] = ['handleElicitation'];
const program: PluginProgram = { name: 'echo', source, permissions: {}, callbacks, maxResultBytes: 2 ** 20 };

const carriers: readonly [name: string, url: string, open: () => Promise<Carrier>][] = [
  ['thread', fixture('echo.mjs'), async () => createThreadCarrier(defaultThreads)],
  [
    'compartment',
    'plugin:echo',
    async () => (await createCompartmentCarrier(defaultThreads, { program, maxMemoryMb: 128 }, systemClock)).carrier,
  ],
];

const answerOf = async (cell: Cell, task: LoadTask | CallTask): Promise<unknown> =>
  readReply(await new Promise((resolve) => cell.run(task, resolve)), runnerLimits);

const call = (run: number): CallTask => ({
  ...{ type: 'run', run, kind: 'elicitation', params: undefined, json: `{"run":${run}}` },
  ...{ context: { ...context, kind: 'elicitation' }, state: undefined },
});

for (const [name, url, open] of carriers) {
  test(`${name}: a task that was taken back is skipped and said to be, and the next one runs`, { timeout: 20_000 }, async () => {
    const carrier = await open();
    const gone = deferred();
    const failed = (what: unknown) => assert.fail(JSON.stringify(what));
    const cell = carrier.start({ message: failed, violated: () => failed('violated'), died: failed, gone: gone.resolve });
    const loaded = await answerOf(cell, { type: 'load', url, services: [], version: 0, limits: runnerLimits });
    assert.equal((loaded as { type?: string }).type, 'loaded', JSON.stringify(loaded));
    let skipped = 0;
    // The thread may be faster than a task is taken back; it is not always.
    for (let run = 1; run <= 200 && skipped === 0; run++) {
      const answer = answerOf(cell, call(run));
      const revoked = cell.revoke?.(run);
      const expected = { type: 'returned', json: `{"run":${run}}`, state: undefined };
      assert.deepEqual(await answer, revoked ? { type: 'skipped' } : expected);
      if (revoked) skipped++;
    }
    assert.equal(skipped, 1);
    assert.deepEqual(await answerOf(cell, call(1000)), { type: 'returned', json: '{"run":1000}', state: undefined });
    cell.kill();
    await gone.promise;
    await carrier.close();
  });
}
