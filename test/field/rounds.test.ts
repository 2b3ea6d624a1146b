// Modern rounds against the official server package, over both transports: through `client.callTool` as the host already calls
// it, and through `connection.callTool`.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import type { InputRecord } from '../../src/journal.js';
import { roundsCommand } from '../support/commands.js';
import { type Served, serveModern, serveSessions } from '../support/http.js';
import { createRoundsFactory, type Leg, legsOf, type Round, roundsUri } from '../support/rounds.js';
import { formParams, revealingHandler, samplingParams } from './asks.js';

let bulkhead: Bulkhead;
let served: Served;
const records: InputRecord[] = [];
const connections = new Map<string, Connection<Client>>();

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler, inputRateLimit: { perSecond: 1000, burst: 200 } });
  served = await serveModern(createRoundsFactory());
  connections.set('stdio', await bulkhead.connect(roundsCommand, { serverId: 'stdio' }));
  connections.set('Streamable HTTP', await bulkhead.connect(served.url, { serverId: 'http' }));
  for (const connection of connections.values()) connection.on('input', (record) => records.push(record));
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

for (const over of ['stdio', 'Streamable HTTP'])
  test(`B58: a connection that has just been opened knows its era and can be pinged (${over})`, async () => {
    const target = over === 'stdio' ? roundsCommand : served.url;
    const connection = await bulkhead.connect(target, { serverId: `fresh, ${over}` });
    assert.equal(connection.era, 'modern');
    assert.ok((await connection.ping()) >= 0);
    await connection.close();
  });

test('B58: so can one whose client the host has brought', async () => {
  const client = new Client({ name: 'host', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const transport = new StdioClientTransport({ ...roundsCommand, args: [...roundsCommand.args] });
  const connection = bulkhead.attach(transport, { serverId: 'brought', client });
  await client.connect(transport);
  assert.ok((await connection.ping()) >= 0);
  assert.equal(connection.era, 'modern');
  await connection.close();
});

test('B25, B26: 40 concurrent calls, each with its own assigns; entries wait for a slot instead of failing', async () => {
  const connection = connections.get('Streamable HTTP') as Connection<Client>;
  const asking: Round = { inputRequests: { who: { method: 'elicitation/create', params: formParams('sleep 5') } } };
  const calls = Array.from({ length: 40 }, async (_, call) => {
    const script = { key: randomUUID(), rounds: [asking, asking] };
    const result = await connection.callTool({ name: 'rounds', arguments: script }, { assigns: { call } });
    for (const { inputResponses } of legsOf(result).slice(1)) {
      const { who } = (inputResponses ?? assert.fail('a leg without answers')) as {
        readonly who: { readonly content: { readonly told: string } };
      };
      assert.deepEqual(JSON.parse(who.content.told).assigns, { call });
    }
  });
  await Promise.all(calls);
});

const everyKind: Round = {
  inputRequests: {
    form: { method: 'elicitation/create', params: formParams('all') },
    page: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in', url: 'https://example.com/in' } },
    model: { method: 'sampling/createMessage', params: samplingParams('all') },
    folder: { method: 'roots/list' },
  },
  requestState: 'after all kinds',
};

/** All kinds, then a round of state alone, then a form whose round has no state. */
const rounds: readonly Round[] = [
  everyKind,
  { requestState: '' },
  { inputRequests: { form: { method: 'elicitation/create', params: formParams('last') } } },
];

/** What the server should have received for `everyKind`. */
interface Answers {
  readonly form: { readonly content: { readonly told: string } };
  readonly page: { readonly action: string };
  readonly model: { readonly role: string };
  readonly folder: { readonly roots: readonly [{ readonly uri: string }] };
}

function checkLegs(legs: readonly Leg[], assigns: unknown): void {
  assert.deepEqual(legs[0], {});
  const answers = legs[1]?.inputResponses ?? assert.fail('no second leg');
  const { form, page, model, folder } = answers as unknown as Answers;
  assert.deepEqual(JSON.parse(form.content.told).assigns, assigns);
  assert.deepEqual(page, { action: 'accept' });
  assert.equal(model.role, 'assistant');
  assert.equal(folder.roots[0].uri, 'file:///work');
  assert.equal(legs[1]?.requestState, 'after all kinds');
  assert.deepEqual(legs[2], { requestState: '' }, 'a round of state alone is echoed without inputResponses');
  assert.deepEqual(Object.keys(legs[3] ?? {}), ['inputResponses'], 'no state of an earlier round comes along');
  assert.equal(legs.length, 4);
}

const script = () => ({ key: randomUUID(), rounds });

test('B13: the same tool in the legacy era, where the server package pushes its rounds as requests of the call', async () => {
  const sessions = await serveSessions(createRoundsFactory());
  const legacy = { versionNegotiation: { mode: 'legacy' } } as const;
  const connection = await bulkhead.connect(sessions.url, { serverId: 'pushed', clientOptions: legacy });
  const related: unknown[] = [];
  connection.on('input', (record) => related.push(record.relatedRequestId));
  const result = await connection.callTool({ name: 'rounds', arguments: { ...script() } }, { assigns: { trip: 8 } });
  checkLegs(legsOf(result), { trip: 8 });
  assert.equal(related.length, 5);
  assert.ok(related.every((id) => id !== null && id === related[0]));
  await connection.close();
  await sessions.close();
});

describe('rounds', { concurrency: true }, () => {
  for (const over of ['stdio', 'Streamable HTTP']) describe(over, { concurrency: 1 }, () => roundsOver(over));
});

function roundsOver(over: string): void {
  const connection = () => connections.get(over) as Connection<Client>;

  test(`B23: every kind in one round, several rounds, state alone, through client.callTool (${over})`, async () => {
    checkLegs(legsOf(await connection().client.callTool({ name: 'rounds', arguments: { ...script() } })), {});
  });

  test(`B23, B26: the same through connection.callTool, with the call's assigns (${over})`, async () => {
    const mine = () => records.filter((record) => record.serverId === connection().serverId);
    const before = mine().length;
    const result = await connection().callTool({ name: 'rounds', arguments: { ...script() } }, { assigns: { trip: 7 } });
    checkLegs(legsOf(result), { trip: 7 });
    const added = mine().slice(before);
    assert.deepEqual(
      added.map(({ request, relatedRequestId, outcome }) => [request?.method, request?.round, relatedRequestId, outcome]).sort(),
      [1, 1, 1, 1, 3].map((round) => ['tools/call', round, null, 'answered']),
    );
    assert.deepEqual(added.map((record) => record.requestId).sort(), ['folder', 'form', 'form', 'model', 'page']);
  });

  test(`B22: a tool with an output schema is validated after its rounds, both ways (${over})`, async () => {
    await connection().client.listTools();
    for (const callTool of [connection().client.callTool.bind(connection().client), connection().callTool]) {
      const result = await callTool({ name: 'rounds-structured', arguments: { ...script() } });
      checkLegs((result.structuredContent as { legs: Leg[] }).legs, {});
    }
  });

  test(`B22: prompts and resources ask in rounds too (${over})`, async () => {
    const prompt = await connection().getPrompt({ name: 'rounds', arguments: { script: JSON.stringify(script()) } });
    checkLegs(legsOf({ content: prompt.messages.map((message) => message.content) }), {});
    const resource = await connection().readResource({ uri: roundsUri(script()) });
    checkLegs(legsOf({ content: resource.contents }), {});
  });

  test(`B24: a callback that refuses fails the call, and no retry is sent (${over})`, async () => {
    const refusing: Round = {
      inputRequests: {
        good: { method: 'roots/list' },
        bad: { method: 'elicitation/create', params: formParams('refuse') },
      },
    };
    const call = connection().callTool({ name: 'rounds', arguments: { key: `refused over ${over}`, rounds: [refusing] } });
    await assert.rejects(call, { name: 'BulkheadError', kind: 'input_handler' });
    const again = await connection().callTool({ name: 'rounds', arguments: { key: `refused over ${over}`, rounds: [refusing] } });
    assert.equal(legsOf(again).length, 2, 'the server saw the first leg of each call, and no retry between them');
  });
}
