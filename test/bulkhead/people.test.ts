/** Callbacks that wait for a person through a service of the host, on real threads: order of events, never durations. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServiceExtra } from '../../src/isolation/isolation.js';
import { createScriptedServer } from '../../src/testing/index.js';
import { form, openHost } from '../support/host.js';

const internal = { code: -32603, message: 'The host could not answer this request' };
const seen = { seen: { type: 'string' } };

/** A dialog: opens when a callback asks, closes when its signal fires, answers when the test says so. */
function createDialog(): {
  ask(data: unknown, extra: ServiceExtra): Promise<unknown>;
  readonly opened: Promise<ServiceExtra>;
  readonly closed: Promise<unknown>;
  answer(value: unknown): void;
} {
  let open: (extra: ServiceExtra) => void = () => {};
  let close: (reason: unknown) => void = () => {};
  let answer: (value: unknown) => void = () => {};
  const said = new Promise((resolve) => {
    answer = resolve;
  });
  return {
    opened: new Promise((resolve) => {
      open = resolve;
    }),
    closed: new Promise((resolve) => {
      close = resolve;
    }),
    answer: (value) => answer(value),
    ask(_data, extra) {
      extra.signal.addEventListener('abort', () => close(extra.signal.reason));
      open(extra);
      return said;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('B16, case 39: a person may take longer than the busy time; spinning may not, with or without an open dialog', async () => {
  const dialog = createDialog();
  const { bulkhead, connection, server } = await openHost({ host: { ask: dialog.ask }, busyTimeout: 100 });
  const ends: unknown[] = [];
  connection.on('input', ({ stages }) => ends.push(stages.callback));
  const asked = server.request('elicitation/create', form('ask', seen));
  await dialog.opened;
  await pause(400);
  dialog.answer('here');
  assert.equal((await asked).error, undefined);
  for (const act of ['spin', 'ask and spin'])
    assert.deepEqual((await server.request('elicitation/create', form(act))).error, internal);
  assert.deepEqual(ends, ['pass', 'busy', 'busy']);
  await bulkhead.close();
});

test('case 39, case 43: there is a ceiling on a person’s time; the dialog hears of it with its id, and a late click changes nothing', async () => {
  const dialog = createDialog();
  const { bulkhead, connection, server } = await openHost({ host: { ask: dialog.ask }, handlerTimeout: 300 });
  const records: unknown[] = [];
  connection.on('input', ({ outcome, stages }) => records.push([outcome, stages.callback]));
  const asked = server.request('elicitation/create', form('ask', seen), { id: 'form' });
  assert.equal((await dialog.opened).requestId, 'form');
  assert.match(String(await dialog.closed), /timeout/);
  assert.deepEqual((await asked).error, internal);
  dialog.answer('too late');
  const next = await server.request('elicitation/create', form('accept'));
  assert.equal(next.error, undefined);
  assert.equal(server.answersTo('form').length, 1);
  assert.deepEqual(records, [
    ['killed', 'timeout'],
    ['answered', 'pass'],
  ]);
  await bulkhead.close();
});

test('case 47: the server gives its form up by a string id: the dialog is told, and nothing is sent', async () => {
  const dialog = createDialog();
  const { bulkhead, server } = await openHost({ host: { ask: dialog.ask } });
  server.request('elicitation/create', form('ask', seen), { id: '6f1c-77' }).catch(() => {});
  await dialog.opened;
  server.notify('notifications/cancelled', { requestId: '6f1c-77' });
  assert.match(String(await dialog.closed), /cancelled/);
  dialog.answer('anyway');
  await server.request('elicitation/create', form('accept'));
  assert.equal(server.answersTo('6f1c-77').length, 0);
  await bulkhead.close();
});

test('case 46: a callback that fails after the person agreed, or whose dialog breaks, is never an accept; the host reads why', async () => {
  const dialog = createDialog();
  const broken = (): never => {
    throw new Error('window is gone');
  };
  for (const [act, ask, why] of [
    ['ask and throw', dialog.ask, /after consent/],
    ['ask', broken, /window is gone/],
  ] as const) {
    const { bulkhead, connection, server } = await openHost({ host: { ask } });
    const faults: (string | undefined)[] = [];
    connection.on('input', ({ fault }) => faults.push(fault?.message));
    dialog.answer('yes');
    assert.deepEqual((await server.request('elicitation/create', form(act, seen))).error, internal);
    assert.match(faults[0] ?? '', why);
    await bulkhead.close();
  }
});

test('case 56: the host shows the form while its own callTool is pending', async () => {
  const order: string[] = [];
  const { bulkhead, connection, server } = await openHost({
    host: {
      ask: () => {
        order.push(`shown while ${connection.pendingCalls().length} call is pending`);
        return 'yes';
      },
    },
    script: (scripted) =>
      scripted.onCall('tools/call', async () => {
        await scripted.request('elicitation/create', form('ask', seen));
        order.push('answered');
        return { content: [] };
      }),
  });
  await connection.callTool({ name: 't' });
  order.push('called');
  assert.deepEqual(order, ['shown while 1 call is pending', 'answered', 'called']);
  assert.equal(server.unanswered.length, 0);
  await bulkhead.close();
});

test('case 58: with a single thread and a form that waits, ping and logs go on and whatever needs a thread is refused at once', async () => {
  const dialog = createDialog();
  const { bulkhead, connection, server } = await openHost({ host: { ask: dialog.ask }, threads: { max: 1 } });
  const logs: unknown[] = [];
  connection.on('log', ({ data }) => logs.push(data));
  const other = createScriptedServer();
  const second = await bulkhead.connect(other.transport as never, { serverId: 'second' });
  const asked = server.request('elicitation/create', form('ask', seen));
  await dialog.opened;
  for (let n = 0; n < 20; n++) server.notify('notifications/message', { level: 'info', data: n });
  for (const peer of [server, other]) {
    const { error } = await peer.request('roots/list');
    assert.deepEqual([error?.code, error?.data], [-32000, { reason: 'busy' }]);
    assert.deepEqual((await peer.request('ping')).result, {});
  }
  assert.equal(logs.length, 20);
  dialog.answer('at last');
  assert.equal((await asked).error, undefined);
  assert.deepEqual((await other.request('roots/list')).result, { roots: [{ uri: 'file:///second' }] });
  assert.equal(second.stats().running, 0);
  await bulkhead.close();
});

test('case 60: of 20 samplings at once the first asks a person; the others consult that decision', async () => {
  let prompts = 0;
  let decision: Promise<boolean> | undefined;
  const decide = (): Promise<boolean> => {
    decision ??= new Promise((resolve) => {
      prompts++;
      setImmediate(resolve, true);
    });
    return decision;
  };
  const { bulkhead, server } = await openHost({
    handler: new URL('../../../test/fixtures/deciding.mjs', import.meta.url),
    isolation: 'inline',
    host: { decide },
    maxServerRequests: 20,
    threads: { max: 40 },
    sampling: { allowIdle: true },
  });
  const asked = [...Array(20).keys()].map((n) =>
    server.request('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: `${n}` } }],
      maxTokens: 5,
    }),
  );
  const texts = (await Promise.all(asked)).map(({ result }) => (result as { content: { text: string } }).content.text);
  assert.deepEqual(texts, [...Array(20).keys()].map(String));
  assert.equal(prompts, 1);
  await bulkhead.close();
});
