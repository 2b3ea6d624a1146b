import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/client';
import { createBulkhead } from '../src/bulkhead.js';
import { resolveLimits } from '../src/options.js';
import { createScriptedServer } from '../src/testing/index.js';

const wrong: readonly (readonly [options: object, message: RegExp])[] = [
  [{ handlerTimout: 1 }, /option "handlerTimout": there is no such option \(there are: name, handler, .*handlerTimeout/],
  [
    { handlerTimeout: '5' },
    /option "handlerTimeout": expected a number of milliseconds, or an object of them by kind, received "5"/,
  ],
  [{ handlerTimeout: -1 }, /"handlerTimeout": expected an integer from 1 to 2147483647 \(milliseconds\), received -1/],
  [{ handlerTimeout: { form: 1 } }, /"handlerTimeout.form": there is no such option \(there are: sampling, elicitation, roots/],
  [{ maxServerRequests: 1.5 }, /"maxServerRequests": expected an integer from 1/],
  [{ inputRateLimit: { whenOver: 'queue' } }, /"inputRateLimit.whenOver": expected one of "refuse", "wait", received "queue"/],
  [{ inputRateLimit: 10 }, /"inputRateLimit": expected an object of perSecond, burst, whenOver, received 10/],
  [{ logLevel: 'loud' }, /"logLevel": expected one of "debug"/],
  [{ sampling: { tools: 'yes' } }, /"sampling.tools": expected a boolean, received "yes"/],
  [{ elicitation: { origin: 'example' } }, /"elicitation.origin": expected a web origin such as "https:\/\/example.com"/],
  [{ threads: { min: 4, max: 2 } }, /"threads.min": expected at most threads.max \(2\), received 4/],
  [{ threads: { scope: 'global' } }, /"threads.scope": expected one of "shared", "server", "call"/],
  [{ threads: { env: { A: 1 } } }, /"threads.env": expected an object of strings/],
  [
    { isolation: 'inline', threads: { permission: true } },
    /"threads.permission": expected false where callbacks run in the main/,
  ],
  [{ isolation: 'vm' }, /"isolation": expected one of "inline", "thread", "compartment", "process"/],
  [{ host: { ask: true } }, /"host.ask": expected a function, received true/],
  [{ handler: 7 }, /"handler": expected a path or a file URL, received 7/],
  [{ clock: {} }, /"clock": expected an object with now\(\), elapsed\(\) and after\(\)/],
  [{ budget: {} }, /"budget": expected what openBudget\(\) returns/],
  [{ debug: 1 }, /"debug": expected a boolean/],
];

for (const [options, message] of wrong)
  test(`a wrong option names itself, what was expected and what was seen: ${JSON.stringify(options)}`, async () => {
    await assert.rejects(createBulkhead(options as never), { name: 'BulkheadError', kind: 'options', message });
  });

test('case 42: one order for every limit: connection over bulkhead over default', () => {
  const bulkhead = resolveLimits({ handlerTimeout: { sampling: 1 }, sampling: { maxTokens: 9 }, rounds: { max: 3 } });
  const connection = resolveLimits({ handlerTimeout: { roots: 2 }, sampling: { tools: true } }, bulkhead);
  assert.deepEqual(connection.handlerTimeout, { sampling: 1, elicitation: 300_000, roots: 2, notification: 60_000, log: 60_000 });
  assert.deepEqual([connection.sampling.maxTokens, connection.sampling.tools, connection.sampling.context], [9, true, false]);
  assert.deepEqual(connection.rounds, { max: 3, entries: 16, bytes: 1_048_576 });
  assert.equal(resolveLimits({ busyTimeout: 5 }).busyTimeout.sampling, 5);
});

test('wrong options of attach and connect, and a wrong transport or target', async () => {
  const bulkhead = await createBulkhead();
  const { transport } = createScriptedServer();
  assert.throws(() => bulkhead.attach({} as never, { serverId: 'a' }), { kind: 'options', message: /"transport"/ });
  assert.throws(() => bulkhead.attach(transport as never, {} as never), {
    kind: 'options',
    message: /"serverId": expected a string/,
  });
  assert.throws(() => bulkhead.attach(transport as never, { serverId: 'a', nam: 1 } as never), {
    kind: 'options',
    message: /"nam"/,
  });
  for (const target of ['ftp://x', 'not a url', 7, null, {}, { command: 'x', args: 'y' }, { command: 'x', arg: ['y'] }])
    await assert.rejects(bulkhead.connect(target as never, { serverId: 'a' }), { kind: 'options', message: /"target/ });
  const client = new Client({ name: 'host', version: '1' });
  const late = createScriptedServer().transport;
  await client.connect(late as never);
  assert.throws(() => bulkhead.attach(late as never, { serverId: 'a', client }), { kind: 'options', message: /"client"/ });
  const first = bulkhead.attach(transport as never, { serverId: 'a' });
  assert.throws(() => bulkhead.attach(transport as never, { serverId: 'b' }), { kind: 'options', message: /"transport"/ });
  await first.close();
  await bulkhead.attach(transport as never, { serverId: 'b' }).close();
  await bulkhead.close();
  assert.throws(() => bulkhead.attach(transport as never, { serverId: 'a' }), { kind: 'closed' });
});

test('B1: no module, or one that answers nothing: {} is advertised', async () => {
  const bulkhead = await createBulkhead();
  assert.deepEqual(bulkhead.capabilities, {});
  await bulkhead.close();
});
