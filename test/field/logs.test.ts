// Log messages and progress of real servers, in both eras: asked for by one option, delivered in order, sanitised.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { type Bulkhead, type Connection, createBulkhead } from '../../src/index.js';
import { createAskingServer, type Step } from '../support/asking.js';
import { type Served, serveModern, serveSessions } from '../support/http.js';
import { createRoundsFactory, type Round } from '../support/rounds.js';
import { formParams, revealingHandler } from './asks.js';

let bulkhead: Bulkhead;
let legacy: Served;
let modern: Served;

before(async () => {
  bulkhead = await createBulkhead({ handler: revealingHandler });
  legacy = await serveSessions(createAskingServer);
  modern = await serveModern(createRoundsFactory());
});

after(async () => {
  await bulkhead.close();
  await legacy.close();
  await modern.close();
});

interface Heard {
  readonly connection: Connection<Client>;
  readonly logs: unknown[];
}

async function listenTo(url: URL, logLevel?: 'info' | 'warning'): Promise<Heard> {
  const options = logLevel === undefined ? {} : { logLevel };
  const connection = await bulkhead.connect(url, { serverId: `logs, ${randomUUID()}`, ...options });
  const logs: unknown[] = [];
  connection.on('log', (entry) => logs.push(entry));
  return { connection, logs };
}

const dirty = 'red \u001b[31malert\u001b[0m\r\nforged line';
const clean = 'red [31malert[0m forged line';

const loggingSteps: readonly Step[] = [
  { log: 'quiet', level: 'info' },
  { log: dirty, level: 'warning', logger: 'desk' },
  { log: { nested: [dirty] }, level: 'error' },
];

test('B54: legacy, one option asks for logs from a level on; what comes is sanitised and in order', async () => {
  const { connection, logs } = await listenTo(legacy.url, 'warning');
  await connection.callTool({ name: 'ask', arguments: { steps: loggingSteps } });
  assert.deepEqual(logs, [
    { level: 'warning', logger: 'desk', data: clean },
    { level: 'error', data: { nested: [clean] } },
  ]);
  await connection.close();
});

const loggingRounds: readonly Round[] = [
  { log: ['first'], inputRequests: { who: { method: 'elicitation/create', params: formParams('plain') } } },
  { log: [dirty], inputRequests: { who: { method: 'elicitation/create', params: formParams('plain') } } },
];

test('B54: modern, the same option asks for logs in every leg of a call', async () => {
  const { connection, logs } = await listenTo(modern.url, 'info');
  await connection.callTool({ name: 'rounds', arguments: { key: randomUUID(), rounds: loggingRounds } });
  assert.deepEqual(logs, [
    { level: 'info', logger: 'rounds', data: 'first' },
    { level: 'info', logger: 'rounds', data: clean },
  ]);
  await connection.close();
});

test('B54: modern, without the option the server has nobody to log for', async () => {
  const { connection, logs } = await listenTo(modern.url);
  await connection.callTool({ name: 'rounds', arguments: { key: randomUUID(), rounds: loggingRounds } });
  assert.deepEqual(logs, []);
  await connection.close();
});

test('B57: legacy, progress reaches its caller under the caller’s own token; falling and repeated values do not', async () => {
  const { connection } = await listenTo(legacy.url);
  const seen: number[] = [];
  const steps: Step[] = [1, 2, 2, 1.5, 3].map((progress) => ({ progress, total: 3 }));
  await connection.callTool(
    { name: 'ask', arguments: { steps } },
    { progressToken: 'mine', onprogress: ({ progress }) => seen.push(progress) },
  );
  assert.deepEqual(seen, [1, 2, 3]);
  await connection.close();
});

test('B57: modern, progress of every leg reaches the caller', async () => {
  const { connection } = await listenTo(modern.url);
  const seen: number[] = [];
  const rounds: Round[] = [
    { progress: [1, 2], requestState: 'on' },
    { progress: [3, 4], inputRequests: { who: { method: 'elicitation/create', params: formParams('plain') } } },
  ];
  await connection.callTool(
    { name: 'rounds', arguments: { key: randomUUID(), rounds } },
    { onprogress: ({ progress }) => seen.push(progress) },
  );
  assert.deepEqual(seen, [1, 2, 3, 4]);
  await connection.close();
});
