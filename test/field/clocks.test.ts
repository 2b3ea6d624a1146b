// Pausing and totals with a real server and real threads: the order of events, never a duration. The clocks leave room for a slow
// machine; to the millisecond the same is shown on the manual clock.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, outcomesOf, type Step } from '../support/asking.js';
import { type Served, serveSessions } from '../support/http.js';
import { askForm, revealingHandler } from './asks.js';

const timeout = 600;
/** Each question takes longer than the call may idle. */
const askTwice: readonly Step[] = [askForm('sleep 900'), askForm('sleep 900')];

let bulkhead: Bulkhead;
let served: Served;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler, threads: { min: 2 } });
  served = await serveSessions(createAskingServer);
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

/** A connection that has asked and answered once, so that nothing has to start while a clock runs. */
async function warmConnection(serverId: string): Promise<Connection> {
  const connection = await bulkhead.connect(served.url, { serverId });
  await connection.callTool({ name: 'ask', arguments: { steps: [askForm('plain')] } });
  return connection;
}

describe('clocks', { concurrency: true }, () => {
  test('B11: a call whose server asks twice for input that takes longer than its timeout succeeds', async () => {
    const connection = await warmConnection('paused');
    const result = await connection.callTool({ name: 'ask', arguments: { steps: askTwice } }, { timeout });
    assert.equal(outcomesOf(result).filter((outcome) => 'result' in (outcome as object)).length, 2);
  });

  test('B12: with a total shorter than the first question it fails before the second, and the callback is dead', async () => {
    const connection = await warmConnection('total');
    const events: string[] = [];
    connection.on('input', (record) => events.push(`callback ${record.stages.callback}`));
    const call = connection.callTool({ name: 'ask', arguments: { steps: askTwice } }, { timeout, maxTotalTimeout: 700 });
    await assert.rejects(call, { name: 'BulkheadError', kind: 'timeout' });
    // A round trip of the same session: whatever the server still had to say has arrived before its answer.
    await connection.callTool({ name: 'ask', arguments: { steps: [{ wait: 300 }] } });
    // A server that hears of the kill before it hears of the cancelling may still ask: that is refused without a callback.
    assert.deepEqual(events.slice(0, 1), ['callback timeout']);
    assert.ok(
      events.slice(1).every((event) => event === 'callback skipped'),
      events.join(),
    );
  });
});
