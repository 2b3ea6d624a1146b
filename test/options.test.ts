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
  [{ threads: { env: { A: 'a', B: undefined } } }, /"threads.env.B": expected a string, received undefined/],
  [
    { isolation: 'inline', threads: { permission: true } },
    /"threads.permission": expected false where callbacks run in the main/,
  ],
  [{ isolation: 'vm' }, /"isolation": expected one of "inline", "thread", "compartment", "process"/],
  [{ host: { ask: true } }, /"host.ask": expected a function, received true/],
  [{ handler: 7 }, /"handler": expected a path or a file URL, received 7/],
  [{ handler: '' }, /"handler": expected a path or a file URL, received ""/],
  [
    { handler: new URL('https://example.com/h.js') },
    /"handler": expected a path or a file URL, received "https:\/\/example.com\/h.js"/,
  ],
  [{ plugin: '' }, /"plugin": expected a path or a file URL of a manifest, received ""/],
  [{ name: '' }, /"name": expected a string that is not empty, received ""/],
  [{ clock: {} }, /"clock": expected an object with now\(\), elapsed\(\) and after\(\)/],
  [{ budget: {} }, /"budget": expected what openBudget\(\) returns/],
  [{ debug: 1 }, /"debug": expected a boolean/],
];

class Services {
  ask(): string {
    return 'not one of its own members';
  }
}

/** Their members are none of their own, and would be passed over without a word. */
const ofAClass: readonly (readonly [options: object, message: RegExp])[] = [
  [new Map([['name', 'x']]), /"options": expected a plain object, received an object of class Map/],
  [{ rounds: new Map([['max', 1]]) }, /"rounds": expected an object of max, entries, bytes, received an object of class Map/],
  [{ handlerTimeout: new Date() }, /"handlerTimeout": expected .*, received an object of class Date/],
  [{ threads: { env: new Map([['A', '1']]) } }, /"threads.env": expected an object of strings, received an object of class Map/],
  [{ threads: { env: ['A=1'] } }, /"threads.env": expected an object of strings, received an array of 1/],
  [{ host: new Services() }, /"host": expected a plain object of functions, received an object of class Services/],
  [{ host: [() => 1] }, /"host": expected a plain object of functions, received an array of 1/],
];

for (const [options, message] of ofAClass)
  test(`what is no plain object is no option either: ${message.source}`, async () => {
    await assert.rejects(createBulkhead(options as never), { kind: 'options', message });
  });

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
  for (const target of [{ command: '' }, { command: 'x', cwd: 5 }, { command: 'x', env: ['A=1'] }, { command: 'x', stderr: 'x' }])
    await assert.rejects(bulkhead.connect(target as never, { serverId: 'a' }), { kind: 'options', message: /"target\./ });
  for (const [name, value] of [
    ['clientInfo', null],
    ['clientInfo', 'host'],
    ['clientInfo', { name: 'host' }],
    ['clientOptions', null],
    ['clientOptions', 5],
  ] as const)
    await assert.rejects(bulkhead.connect(createScriptedServer().transport, { serverId: 'a', [name]: value } as never), {
      kind: 'options',
      message: new RegExp(`"${name}": expected an object`),
    });
  for (const client of [null, 5, 'client', {}, { callTool() {} }])
    assert.throws(() => bulkhead.attach(transport, { serverId: 'a', client } as never), {
      kind: 'options',
      message: /"client": expected an official client/,
    });
  const client = new Client({ name: 'host', version: '1' });
  const late = createScriptedServer().transport;
  await client.connect(late as never);
  assert.throws(() => bulkhead.attach(late as never, { serverId: 'a', client }), { kind: 'options', message: /"client"/ });
  const first = bulkhead.attach(transport as never, { serverId: 'a' });
  assert.throws(() => bulkhead.attach(transport as never, { serverId: 'b' }), { kind: 'options', message: /"transport"/ });
  await first.close();
  await bulkhead.attach(transport as never, { serverId: 'b' }).close();
  await assert.rejects(bulkhead.close({ wait: 'yes' } as never), {
    kind: 'options',
    message: /"close.wait": expected a boolean/,
  });
  await bulkhead.close('SIGTERM' as never);
  assert.throws(() => bulkhead.attach(transport as never, { serverId: 'a' }), { kind: 'closed' });
});

test('a connection without a client says what calls need', async () => {
  const bulkhead = await createBulkhead();
  const connection = bulkhead.attach(createScriptedServer().transport, { serverId: 'a' });
  const needed = { kind: 'options', message: /needs a client: give "client" to attach\(\)/ };
  await assert.rejects(connection.callTool({ name: 't' }), needed);
  await assert.rejects(connection.readResource({ uri: 'x:y' }), needed);
  await assert.rejects(connection.getPrompt({ name: 'p' }), needed);
  await assert.rejects(
    connection.call(async () => {}),
    needed,
  );
  await bulkhead.close();
});

test('a handler of a connection that does not load rejects connect with `load`, and leaves nothing open', async () => {
  const bulkhead = await createBulkhead();
  const server = createScriptedServer();
  await assert.rejects(bulkhead.connect(server.transport, { serverId: 'a', handler: './missing.js' }), {
    kind: 'load',
    message: /missing\.js" could not be loaded/,
  });
  assert.deepEqual([server.frames.length, bulkhead.stats().connections], [0, 0]);
  await bulkhead.close();
});

test('B1: no module, or one that answers nothing: {} is advertised', async () => {
  const bulkhead = await createBulkhead();
  assert.deepEqual(bulkhead.capabilities, {});
  await bulkhead.close();
});
