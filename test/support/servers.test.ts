// The servers of this folder, asked by the official client with handlers of its own: they must ask what they are told to ask,
// or nothing that is tested with them means anything.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, InMemoryTransport, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client';
import { createAskingServer, outcomesOf, type Step } from './asking.js';
import { serveModern, serveSessions } from './http.js';
import { createRoundsFactory, legsOf, type Round, roundsUri } from './rounds.js';

const form = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } } as const;

async function connectedClient(transport: Transport, mode: 'legacy' | 'auto' = 'legacy'): Promise<Client> {
  const client = new Client(
    { name: 'official', version: '1.0.0' },
    { capabilities: { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }, versionNegotiation: { mode } },
  );
  client.setRequestHandler('elicitation/create', async ({ params }) =>
    params.mode === 'url' ? { action: 'accept' } : { action: 'accept', content: { name: params.message } },
  );
  client.setRequestHandler('roots/list', async () => ({ roots: [{ uri: 'file:///work' }] }));
  client.setRequestHandler('sampling/createMessage', async () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'yes' },
  }));
  await client.connect(transport);
  return client;
}

async function play(client: Client, steps: readonly Step[]) {
  return outcomesOf(await client.callTool({ name: 'ask', arguments: { steps } }));
}

test('the asking server plays its steps and tells what came of each', async () => {
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createAskingServer().connect(far);
  const client = await connectedClient(near);
  const outcomes = await play(client, [
    { ask: 'roots/list' },
    { wait: 1 },
    { together: [{ ask: 'elicitation/create', params: form }, { ask: 'ping' }] },
    { ask: 'no/such' },
  ]);
  assert.deepEqual(outcomes, [
    { result: { roots: [{ uri: 'file:///work' }] } },
    null,
    [{ result: { action: 'accept', content: { name: 'Name?' } } }, { result: {} }],
    { error: { code: -32601, message: 'Method not found' } },
  ]);
  await client.close();
});

test('the sessions server asks on the stream of each call, on the standalone stream, and on resumed streams', async () => {
  const served = await serveSessions(createAskingServer, { resumable: true });
  const client = await connectedClient(new StreamableHTTPClientTransport(served.url));
  const named = (name: string): Step => ({ ask: 'elicitation/create', params: { ...form, message: name } });
  const calls = Array.from({ length: 5 }, (_, index) => play(client, [named(`call ${index}`)]));
  for (const [index, outcomes] of (await Promise.all(calls)).entries())
    assert.deepEqual(outcomes, [{ result: { action: 'accept', content: { name: `call ${index}` } } }]);
  await served.standaloneStreams(1);
  const [server] = served.servers;
  assert.deepEqual(await server?.server.listRoots(), { roots: [{ uri: 'file:///work' }] });
  const resumed = await play(client, [{ dropStream: true }, { wait: 20 }, named('resumed')]);
  assert.deepEqual(resumed.at(-1), { result: { action: 'accept', content: { name: 'resumed' } } });
  await client.close();
  await served.close();
});

const rounds: readonly Round[] = [
  { requestState: '' },
  { inputRequests: { who: { method: 'elicitation/create', params: form }, where: { method: 'roots/list' } } },
];
const legs = [
  {},
  { requestState: '' },
  {
    inputResponses: {
      who: { action: 'accept', content: { name: 'Name?' } },
      where: { roots: [{ uri: 'file:///work' }] },
    },
  },
];

test('the rounds server asks in rounds, through a tool, a prompt and a resource', async () => {
  const served = await serveModern(createRoundsFactory());
  const client = await connectedClient(new StreamableHTTPClientTransport(served.url), 'auto');
  assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28');
  assert.deepEqual(legsOf(await client.callTool({ name: 'rounds', arguments: { key: 'tool', rounds } })), legs);
  const prompt = await client.getPrompt({ name: 'rounds', arguments: { script: JSON.stringify({ key: 'prompt', rounds }) } });
  assert.deepEqual(legsOf({ content: prompt.messages.map((message) => message.content) }), legs);
  const resource = await client.readResource({ uri: roundsUri({ key: 'resource', rounds }) });
  assert.deepEqual(legsOf({ content: resource.contents }), legs);
  await client.close();
  await served.close();
});
