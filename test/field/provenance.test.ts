// Which call does a request belong to? On Streamable HTTP the transport tells, for the official client of both generations.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, outcomesOf, type Step, type StepOutcome } from '../support/asking.js';
import { type ServedSessions, serveSessions } from '../support/http.js';
import { askForm, formParams, revealedIn, revealingHandler } from './asks.js';

const calls = 40;
let bulkhead: Bulkhead;
let served: ServedSessions;

before(async () => {
  bulkhead = await createBulkhead({
    handler: revealingHandler,
    maxServerRequests: calls,
    inputRateLimit: { perSecond: 1000, burst: 200 },
    threads: { max: 2 * calls },
  });
  served = await serveSessions(createAskingServer, { resumable: true });
});

after(async () => {
  await bulkhead.close();
  await served.close();
});

type Attach = (serverId: string) => Promise<Connection>;

const attachV2: Attach = async (serverId) => {
  const client = new Client({ name: 'host', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(served.url);
  const connection = bulkhead.attach(transport, { serverId, client, assigns: { of: 'the connection' } });
  await client.connect(transport);
  return connection;
};

const attachV1: Attach = async (serverId) => {
  const client = new ClientV1({ name: 'host', version: '1.0.0' });
  const transport = new TransportV1(served.url);
  const connection = bulkhead.attach(transport, { serverId, client, assigns: { of: 'the connection' } });
  await client.connect(transport as never);
  return connection;
};

/** Every attached client opens one standalone stream; a request sent on it before that would be lost. */
let attached = 0;
async function attachAndListen(attach: Attach, serverId: string): Promise<Connection> {
  attached += 1;
  const connection = await attach(serverId);
  await served.standaloneStreams(attached);
  return connection;
}

async function play(connection: Connection, steps: readonly Step[], assigns?: { readonly call: number }) {
  const result = await connection.callTool({ name: 'ask', arguments: { steps } }, assigns === undefined ? {} : { assigns });
  return outcomesOf(result as { content?: unknown });
}

for (const [name, attach] of [
  ['client v2', attachV2],
  ['client v1', attachV1],
] as const) {
  test(`B13: ${calls} concurrent calls over Streamable HTTP, each callback gets its own call's assigns (${name})`, async () => {
    const connection = await attachAndListen(attach, `${name}: many`);
    const steps = [{ wait: 5 }, askForm('first'), askForm('second')] satisfies Step[];
    const played = Array.from({ length: calls }, (_, call) => play(connection, steps, { call }));
    const related = new Set<unknown>();
    for (const [call, outcomes] of (await Promise.all(played)).entries())
      for (const outcome of outcomes.slice(1)) {
        const revealed = revealedIn(outcome);
        assert.deepEqual(revealed.assigns, { call });
        related.add(revealed.relatedRequestId);
      }
    assert.equal(related.size, calls, 'each call has a request id of its own');
    await connection.close();
  });

  test(`B13: a request on the standalone stream belongs to no call and gets the connection's assigns (${name})`, async () => {
    const connection = await attachAndListen(attach, `${name}: standalone`);
    const [outcome] = await play(connection, [askForm('whose?', { on: 'standalone' })], { call: 1 });
    assert.deepEqual(revealedIn(outcome), {
      assigns: { of: 'the connection' },
      relatedRequestId: null,
      serverId: `${name}: standalone`,
    });
    await connection.close();
  });

  test(`B13: a request on a stream resumed by Last-Event-ID still belongs to its call (${name})`, async () => {
    const connection = await attachAndListen(attach, `${name}: resumed`);
    const steps: Step[] = [askForm('before'), { dropStream: true }, { wait: 30 }, askForm('after')];
    const played = [1, 2, 3].map((call) => play(connection, steps, { call }));
    for (const [index, outcomes] of (await Promise.all(played)).entries()) {
      assert.deepEqual(revealedIn(outcomes[0]).assigns, { call: index + 1 });
      assert.deepEqual(revealedIn(outcomes[3]).assigns, { call: index + 1 });
    }
    await connection.close();
  });
}

test('B19: a stream that drops while its request is being answered costs neither the answer nor a second callback', async () => {
  const connection = await attachAndListen(attachV2, 'dropped while asking');
  const outcomes: string[] = [];
  connection.on('input', (record) => outcomes.push(record.outcome));
  const steps: Step[] = [{ together: [askForm('sleep 200'), { dropStream: true }] }, askForm('plain')];
  const [together, after] = await play(connection, steps, { call: 5 });
  assert.deepEqual(revealedIn((together as readonly StepOutcome[])[0]).assigns, { call: 5 });
  assert.deepEqual(revealedIn(after).assigns, { call: 5 });
  assert.deepEqual(outcomes, ['answered', 'answered']);
  await connection.close();
});

test('B13: with no call at all the connection speaks for itself', async () => {
  const connection = await attachAndListen(attachV2, 'no call');
  const server = served.servers.at(-1);
  const { content } = (await server?.server.elicitInput(formParams('whose?') as never)) ?? {};
  assert.deepEqual(JSON.parse(String(content?.told)), {
    assigns: { of: 'the connection' },
    relatedRequestId: null,
    serverId: 'no call',
  });
  await connection.close();
});
