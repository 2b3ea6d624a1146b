import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { installTap } from '../../src/connection/tap.js';
import type { ScriptedServer } from '../../src/testing/index.js';
import { openRig, settle } from '../support/rig.js';

type Receive = (message: unknown) => void;

class Bare {
  onmessage?: Receive | undefined;
  onclose?: (() => void) | undefined;
  readonly sent: unknown[] = [];
  async start(): Promise<void> {}
  async close(): Promise<void> {}
  async send(message: unknown): Promise<void> {
    this.sent.push(message);
  }
}

/** A host's own wrapper: what it is given as a handler goes to the transport inside. */
class Wrapper {
  readonly inner = new Bare();
  get onmessage(): Receive | undefined {
    return this.inner.onmessage;
  }
  set onmessage(next: Receive | undefined) {
    this.inner.onmessage = (message) => (next as Receive)(message);
  }
  get onclose(): (() => void) | undefined {
    return this.inner.onclose;
  }
  set onclose(next: (() => void) | undefined) {
    this.inner.onclose = next;
  }
  async start(): Promise<void> {}
  async close(): Promise<void> {}
  send = (message: unknown): Promise<void> => this.inner.send(message);
}

/** A tap that counts and lets everything through. */
function tapOn(transport: Bare | Wrapper) {
  const counted = { inbound: 0, outbound: 0, closed: 0 };
  const tap = installTap(transport as never, {
    async outbound(message) {
      counted.outbound++;
      await tap.send(message);
    },
    inbound(message) {
      counted.inbound++;
      tap.deliver(message);
    },
    closed: () => void counted.closed++,
  });
  return { tap, counted };
}

/** Chains a handler before the one that is there, as clients and hosts do. */
function chain(transport: Bare | Wrapper, name: string, heard: string[]): void {
  const { onmessage, onclose } = transport;
  transport.onmessage = (message) => {
    heard.push(name);
    onmessage?.(message);
  };
  transport.onclose = () => {
    heard.push(`${name} closed`);
    onclose?.();
  };
}

for (const [kind, make] of [
  ['plain members', () => new Bare()],
  ['accessors around another transport', () => new Wrapper()],
] as const)
  test(`handlers that are chained, before and after the tap is there, hear each message once: ${kind}`, () => {
    const transport = make();
    const wire = transport instanceof Wrapper ? transport.inner : transport;
    const heard: string[] = [];
    chain(transport, 'a', heard);
    const { counted, tap } = tapOn(transport);
    for (const name of ['b', 'c']) chain(transport, name, heard);
    wire.onmessage?.({});
    assert.deepEqual([heard.splice(0), counted.inbound], [['c', 'b', 'a'], 1]);
    wire.onclose?.();
    assert.deepEqual([heard.splice(0), counted.closed], [['c closed', 'b closed', 'a closed'], 1]);
    assert.equal(transport.onmessage, undefined, 'a later client finds nothing to chain');
    wire.onmessage?.({}); // what trails in
    chain(transport, 'd', heard);
    tap.remove();
    wire.onmessage?.({});
    assert.deepEqual([heard, counted.inbound], [['d'], 1], 'what was set last stays, without us');
  });

test('a handler that was put aside for a while and restored is the one that hears', () => {
  const transport = new Bare();
  const heard: string[] = [];
  const { counted } = tapOn(transport);
  chain(transport, 'a', heard);
  const found = transport.onmessage;
  transport.onmessage = () => heard.push('probe');
  transport.onmessage({});
  transport.onmessage = found;
  assert.equal(transport.onmessage, found);
  transport.onmessage?.({});
  assert.deepEqual([heard, counted.inbound], [['probe', 'a'], 2]);
});

test('a message that arrives while another is being handled, and a handler that chains later, are told apart', async () => {
  const transport = new Bare();
  const heard: unknown[] = [];
  const { counted } = tapOn(transport);
  transport.onmessage = (message) => {
    heard.push(message);
    if (message === 1) transport.onmessage?.(2);
  };
  const found = transport.onmessage;
  transport.onmessage = (message) => queueMicrotask(() => found({ copy: message }));
  transport.onmessage?.(0);
  await undefined;
  transport.onmessage = found;
  transport.onmessage?.(1);
  assert.deepEqual([heard, counted.inbound], [[{ copy: 0 }, 1, 2], 3]);
});

test('a send that was wrapped after us stays wrapped when we leave, and still sends', async () => {
  const transport = new Bare();
  const { tap, counted } = tapOn(transport);
  const { send } = transport;
  transport.send = (message) => send({ wrapped: message });
  tap.remove();
  await transport.send(1);
  assert.deepEqual([transport.sent, counted.outbound], [[{ wrapped: 1 }], 1]);
});

test('what a handler throws is reported where the transport reports errors, also while no message of it is being read', async () => {
  const round = { resultType: 'input_required', inputRequests: { a: { method: 'elicitation/create', params: { message: 7 } } } };
  const errors: unknown[] = [];
  const rig = await openRig({ era: 'modern', script: (server) => server.onCall('tools/call', () => round) });
  const transport = rig.server.transport as unknown as Bare & { onerror?: (error: Error) => void };
  const { onmessage } = transport;
  transport.onerror = (error) => errors.push(error.message);
  transport.onmessage = (message) => {
    onmessage?.(message);
    throw new Error('mine');
  };
  await assert.rejects(rig.connection.callTool({ name: 't' }), { kind: 'protocol' });
  rig.server.notify('notifications/tools/list_changed');
  await settle();
  assert.deepEqual(errors, ['mine', 'mine']);
  await rig.close();
});

const form = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

test('a host that listens on the transport itself is no hindrance to either client', async () => {
  for (const given of [{}, { client: new FirstClient({ name: 'first', version: '1' }) as never }]) {
    const heard: string[] = [];
    const listen = ({ transport }: Pick<ScriptedServer, 'transport'>, name: string): void =>
      chain(transport as unknown as Bare, name, heard);
    const rig = await openRig({ script: (server) => listen(server, 'before'), ...given });
    rig.server.onCall('tools/call', () => ({ content: [] }));
    listen(rig.server, 'after');
    heard.length = 0;
    const asked = rig.server.request('elicitation/create', form);
    await (await rig.run(0)).returns({ action: 'decline' });
    assert.deepEqual((await asked).result, { action: 'decline' });
    await rig.connection.callTool({ name: 't' });
    assert.deepEqual(heard.splice(0), ['after', 'before']);
    await rig.close();
    assert.deepEqual(heard, ['after closed', 'before closed']);
  }
});
