/** What a server pushes, through the real consumer worker. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Host, openHost } from '../support/host.js';

const handler = new URL('../../../test/fixtures/notified.mjs', import.meta.url);

interface Seen {
  readonly host: Host;
  readonly seen: unknown[];
  /** Resolves when the handler has been called `count` times. */
  until(count: number): Promise<void>;
}

async function openSeen(options: Parameters<typeof openHost>[0] = {}): Promise<Seen> {
  const seen: unknown[] = [];
  let wake = (): void => {};
  const services = {
    seen: async (data: unknown) => {
      seen.push(data);
      wake();
    },
  };
  const host = await openHost({ handler, host: services, ...options });
  const until = async (count: number): Promise<void> => {
    // An in-memory line holds no process open, and neither does a mailbox.
    const hold = setInterval(() => {}, 1_000);
    while (seen.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    clearInterval(hold);
  };
  return { host, seen, until };
}

test('B51, B52, B54, case 94: logs reach handler, subscribers and client in order, as the same sanitised entry', async () => {
  const { host, seen, until } = await openSeen();
  const [heard, client]: [unknown[], unknown[]] = [[], []];
  host.connection.on('log', (entry) => heard.push(entry));
  host.client.setNotificationHandler('notifications/message', ({ params }) => void client.push(params));
  for (let data = 0; data < 5; data++) host.server.notify('notifications/message', { level: 'info', data });
  host.server.notify('notifications/message', {
    level: 'loud',
    logger: 'a\u001b[2Jb',
    data: { 'k\u202e': 'x\r\n[ERROR] forged' },
  });
  await until(6);
  const expected = [
    ...[0, 1, 2, 3, 4].map((data) => ({ level: 'info', data })),
    { level: 'info', logger: 'a[2Jb', data: { k: 'x [ERROR] forged' } },
  ];
  assert.deepEqual(seen, expected);
  assert.deepEqual(heard, expected);
  assert.deepEqual(client, expected);
  await host.bulkhead.close();
});

test('B52, case 98: 100 log entries at once, the rest dropped first thing and reported as one count', async () => {
  const { host, until } = await openSeen();
  const dropped: { what: string; reason: string; count: number }[] = [];
  let heard = 0;
  host.connection.on('log', () => heard++);
  host.connection.on('dropped', (event) => dropped.push(event));
  for (let data = 1; data <= 300; data++) host.server.notify('notifications/message', { level: 'error', data });
  await until(100);
  await host.connection.close();
  assert.deepEqual([dropped.length, dropped[0]?.what, dropped[0]?.reason], [1, 'log', 'rate']);
  assert.equal(heard + (dropped[0]?.count ?? 0), 300);
  await host.bulkhead.close();
});

test('B51, case 97, case 102: handleNotification gets progress and unknown methods, not message nor cancelled; a throw is reported and skipped', async () => {
  const { host, seen, until } = await openSeen();
  const faults: unknown[] = [];
  host.connection.on('fault', ({ method, reason }) => faults.push([method, reason]));
  host.server.notify('notifications/foo', { fail: true });
  host.server.notify('notifications/foo', { n: 1 });
  host.server.notify('notifications/cancelled', { requestId: 9 });
  host.server.notify('notifications/progress', { progressToken: 0, progress: 1 });
  host.server.notify('notifications/tools/list_changed');
  await until(3);
  const context = { client: 'mcp-bulkhead', serverId: 'scripted', era: 'legacy' };
  assert.deepEqual(seen, [
    { method: 'notifications/foo', params: { n: 1 }, context },
    { method: 'notifications/progress', params: { progressToken: 0, progress: 1 }, context },
    { method: 'notifications/tools/list_changed', params: null, context },
  ]);
  assert.deepEqual(faults, [['notifications/foo', 'threw']]);
  await host.bulkhead.close();
});

test('B54: one option asks for logs in the legacy era with logging/setLevel', async () => {
  const { host } = await openSeen({ logLevel: 'warning' });
  const asked = await host.server.expect('logging/setLevel');
  assert.deepEqual(asked.params, { level: 'warning' });
  await host.bulkhead.close();
});

test('case 57: a notification callback that waits blocks neither requests nor the reading of 50 more', async () => {
  const { host, seen, until } = await openSeen({ script: (server) => server.onCall('tools/call', () => ({ content: [] })) });
  host.server.notify('notifications/foo', { slow: 100 });
  for (let n = 0; n < 50; n++) host.server.notify('notifications/foo', { n });
  await host.connection.callTool({ name: 't' });
  assert.equal(seen.length, 0, 'the call was answered while the first callback waited');
  await until(51);
  await host.bulkhead.close();
});
