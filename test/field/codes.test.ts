// What a legacy server reads on the wire when the host says no: exact codes, fixed texts, and never a word of what was thrown.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { texts } from '../../src/errors.js';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, outcomesOf, type Step, type StepOutcome } from '../support/asking.js';
import { type Served, serveSessions } from '../support/http.js';
import { askForm, askSampling, formParams, revealingHandler } from './asks.js';
import { refusal, secret } from './revealing.js';

let bulkhead: Bulkhead;
let served: Served;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler, inputRateLimit: { perSecond: 1000, burst: 200 } });
  served = await serveSessions(createAskingServer);
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

type Overrides = Parameters<Bulkhead['connect']>[1];

async function played(steps: readonly Step[], overrides: Partial<Overrides> = {}): Promise<readonly StepOutcome[]> {
  const connection: Connection = await bulkhead.connect(served.url, { serverId: 'codes', ...overrides });
  const outcomes = outcomesOf(await connection.callTool({ name: 'ask', arguments: { steps } }));
  await connection.close();
  return outcomes;
}

const codeOf = (outcome: StepOutcome | undefined) =>
  outcome !== null && outcome !== undefined && 'error' in outcome ? outcome.error.code : outcome;

test('B7: a refusal reaches the server exactly as the callback spelled it', async () => {
  const [form, model] = await played([askForm('refuse'), askSampling('refuse')]);
  for (const outcome of [form, model]) {
    const { error } = outcome as { error: { code: number; message: string; data: unknown } };
    assert.equal(error.code, refusal.code);
    assert.ok(error.message.includes(refusal.message));
    assert.deepEqual(error.data, refusal.data);
  }
});

test('B8, B18: a throw, an exit and a senseless answer are -32603 with a fixed text, and the next request is answered', async () => {
  const outcomes = await played([askForm('throw'), askForm('exit'), askForm('return nonsense'), askForm('plain')]);
  assert.deepEqual(outcomes.slice(0, 3).map(codeOf), [-32603, -32603, -32603]);
  const wire = JSON.stringify(outcomes.slice(0, 3));
  assert.ok(wire.includes(texts.internal));
  for (const word of [secret, 'nothing like an answer', 'Error:', 'exit']) assert.ok(!wire.includes(word), `${word} leaked`);
  assert.equal((outcomes[3] as { result: { action: string } }).result.action, 'accept');
});

test('B10: a callback that spins for ever is -32603 at its deadline', async () => {
  const [outcome] = await played([askForm('spin')], { handlerTimeout: { elicitation: 200 } });
  assert.equal(codeOf(outcome), -32603);
});

test('B4: what is not offered is -32601, an undeclared mode or tools are -32602', async () => {
  const tools: Step = {
    ask: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 5, tools: [] },
  };
  assert.deepEqual((await played([tools])).map(codeOf), [-32602]);
  const formsOnly = new URL('./forms-only.js', import.meta.url);
  const page: Step = {
    ask: 'elicitation/create',
    params: { mode: 'url', message: 'm', url: 'https://example.com', elicitationId: '1' },
  };
  const outcomes = await played([askSampling('x'), { ask: 'roots/list' }, page], { handler: formsOnly });
  assert.deepEqual(outcomes.map(codeOf), [-32601, -32601, -32602]);
});

test('B41, B43: a form outside the subset and a javascript: page are -32602', async () => {
  const nested: Step = {
    ask: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: { deep: { type: 'object', properties: {} } } } },
  };
  const script: Step = {
    ask: 'elicitation/create',
    params: { mode: 'url', message: 'm', url: 'javascript:alert(1)', elicitationId: '1' },
  };
  assert.deepEqual((await played([nested, script])).map(codeOf), [-32602, -32602]);
});

test('B21: the ninth request at once is -32000 busy, the eight before it are answered', async () => {
  const [together] = await played([{ together: Array.from({ length: 9 }, () => askForm('sleep 300')) }]);
  const outcomes = together as readonly StepOutcome[];
  const refused = outcomes.filter((outcome) => codeOf(outcome) === -32000);
  assert.equal(refused.length, 1);
  assert.deepEqual((refused[0] as { error: { data: unknown } }).error.data, { reason: 'busy' });
  assert.equal(outcomes.filter((outcome) => 'result' in (outcome as object)).length, 8);
});

test('B32: over budget is -1 for sampling and -32000 with a reason for the rest', async () => {
  const budget = { serverId: 'over budget', inputRateLimit: { perSecond: 0.001, burst: 1 } };
  const outcomes = await played([askForm('plain'), askForm('plain'), askSampling('plain'), { ask: 'roots/list' }], budget);
  assert.deepEqual(outcomes.slice(1).map(codeOf), [-32000, -1, -32000]);
  assert.deepEqual((outcomes[1] as { error: { data: unknown } }).error.data, { reason: 'rate' });
});

test('B17: a cancelled request gets no answer, and its callback is dead', async () => {
  const connection = await bulkhead.connect(served.url, { serverId: 'cancelled' });
  const outcomes: string[] = [];
  connection.on('input', (record) => outcomes.push(record.outcome));
  const steps: Step[] = [askForm('spin', { cancelAfter: 100 }), { wait: 50 }, askForm('plain')];
  const result = outcomesOf(await connection.callTool({ name: 'ask', arguments: { steps } }));
  assert.ok('result' in (result[2] as object));
  assert.deepEqual(outcomes, ['cancelled', 'answered']);
  await connection.close();
});

test('B4: an undeclared `task` parameter is ignored and the request answered normally', async () => {
  const [outcome] = await played([{ ask: 'elicitation/create', params: { ...formParams('plain'), task: { ttl: 1000 } } }]);
  assert.equal((outcome as { result: { action: string } }).result.action, 'accept');
});
