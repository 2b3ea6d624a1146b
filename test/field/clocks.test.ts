// Pausing and totals with a real server and real threads: the order of events, never a duration.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, outcomesOf, type Step } from '../support/asking.js';
import { type Served, serveSessions } from '../support/http.js';
import { askForm, revealingHandler } from './asks.js';

let bulkhead: Bulkhead;
let served: Served;
let connection: Connection;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler });
  served = await serveSessions(createAskingServer);
  connection = await bulkhead.connect(served.url, { serverId: 'clocks' });
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

const askTwice: readonly Step[] = [askForm('sleep 400'), askForm('sleep 400')];

test('B11: a call with timeout 250 whose server asks twice for input that takes 400 ms succeeds', async () => {
  const result = await connection.callTool({ name: 'ask', arguments: { steps: askTwice } }, { timeout: 250 });
  assert.equal(outcomesOf(result).filter((outcome) => 'result' in (outcome as object)).length, 2);
});

test('B12: with maxTotalTimeout 300 it fails before the second question, and the callback is dead', async () => {
  const events: string[] = [];
  const stop = connection.on('input', (record) => events.push(`callback ${record.stages.callback}`));
  const call = connection.callTool({ name: 'ask', arguments: { steps: askTwice } }, { timeout: 250, maxTotalTimeout: 300 });
  await assert.rejects(call, { name: 'BulkheadError', kind: 'timeout' });
  // Round trips of the same session: whatever the server still had to say would have arrived before their answers.
  await connection.callTool({ name: 'echo', arguments: { text: 'a' } });
  await connection.callTool({ name: 'ask', arguments: { steps: [{ wait: 500 }] } });
  // A server that hears of the kill before it hears of the cancelling may still ask: that is refused without a callback.
  assert.deepEqual(events.slice(0, 1), ['callback timeout']);
  assert.ok(
    events.slice(1).every((event) => event === 'callback skipped'),
    events.join(),
  );
  stop();
});
