/** The testing tools as a user would put them together: a whole bulkhead, a scripted server, a clock turned by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { autoAcceptHandler, createManualClock, type ScriptedServer } from '../../src/testing/index.js';
import { form, openHost } from '../support/host.js';

const answers = {
  type: 'object',
  properties: { size: { type: 'string', enum: ['S', 'M'], default: 'M' }, n: { type: 'integer', minimum: 2 } },
};
const asked = { mode: 'form', message: 'Which?', requestedSchema: { ...answers, required: ['n'] } };
const sample = { maxTokens: 10, messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] };

test('the auto-accept handler answers whatever a legacy server asks', async () => {
  const host = await openHost({ handler: autoAcceptHandler, isolation: 'inline', sampling: { allowIdle: true } });
  const { server } = host;
  const result = async (method: string, params?: unknown): Promise<unknown> => (await server.request(method, params)).result;
  assert.deepEqual(await result('elicitation/create', asked), { action: 'accept', content: { size: 'M', n: 2 } });
  const url = { mode: 'url', message: 'Sign in', url: 'https://example.com/', elicitationId: 'e-1' };
  assert.deepEqual(await result('elicitation/create', url), { action: 'accept' });
  assert.deepEqual(await result('roots/list'), { roots: [] });
  assert.equal(((await result('sampling/createMessage', sample)) as { model: string }).model, 'auto');
  await host.bulkhead.close();
});

test('and whatever a modern one asks in a round', async () => {
  const inputRequests = {
    form: { method: 'elicitation/create', params: asked },
    sample: { method: 'sampling/createMessage', params: sample },
    roots: { method: 'roots/list' },
  };
  const script = (server: ScriptedServer): void =>
    void server.onCall('tools/call', ({ params }) =>
      params?.inputResponses === undefined
        ? { resultType: 'input_required', inputRequests }
        : { resultType: 'complete', content: [], structuredContent: params.inputResponses },
    );
  const host = await openHost({ handler: autoAcceptHandler, isolation: 'inline', era: 'modern', script });
  const { structuredContent } = await host.connection.callTool({ name: 'ask', arguments: {} });
  const said = structuredContent as { form: unknown; roots: unknown; sample: { model: string } };
  assert.deepEqual(
    [said.form, said.roots, said.sample.model],
    [{ action: 'accept', content: { size: 'M', n: 2 } }, { roots: [] }, 'auto'],
  );
  await host.bulkhead.close();
});

test('in a thread it says aloud, on the host’s stderr, that it is for tests', async (t) => {
  const write = t.mock.method(process.stderr, 'write', () => true);
  const host = await openHost({ handler: autoAcceptHandler });
  const written = (): string => write.mock.calls.map(({ arguments: [text] }) => String(text)).join('');
  // It comes on another way than the word that the module has loaded.
  while (written() === '') await new Promise((resolve) => setTimeout(resolve, 5));
  assert.match(written(), /ACCEPTS EVERYTHING and is for tests only/);
  await host.bulkhead.close();
});

test('B10: with a manual clock the five minutes of a form take no time', async () => {
  const clock = createManualClock();
  const host = await openHost({ isolation: 'inline', clock });
  const asking = host.server.request('elicitation/create', form('hang'));
  await clock.advanceAsync(299_999);
  assert.deepEqual(host.server.unanswered, [1]);
  await clock.advanceAsync(1);
  assert.equal((await asking).error?.code, -32603);
  await host.bulkhead.close();
});
