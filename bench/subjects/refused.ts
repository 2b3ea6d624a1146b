/** A connection whose limits are spent, and frames that it drops or refuses: what a flood costs the main thread. */
import { Client } from '@modelcontextprotocol/client';
import { createBulkhead } from '../../src/bulkhead.js';
import type { Case, Subject } from '../../src/cli/measure/compare.js';
import { createScriptedServer } from '../../src/testing/index.js';

export const parseName = 'a log entry, parsed only';
export const loggedName = 'a log entry, dropped';
const officialName = 'a log entry, official client';
export const parseAskedName = 'a request, parsed only';
export const askedName = 'a request, refused over budget';

const info = { name: 'bench', version: '1' };
const log = JSON.stringify({
  jsonrpc: '2.0',
  method: 'notifications/message',
  params: { level: 'info', logger: 'server', data: { step: 17, message: 'what a chatty server has to say about its work' } },
});
const request = JSON.stringify({
  jsonrpc: '2.0',
  id: 'q-1',
  method: 'sampling/createMessage',
  params: { maxTokens: 100, messages: [{ role: 'user', content: { type: 'text', text: 'what a chatty server asks for' } }] },
});

const parsed = (text: string): Subject => ({ call: () => typeof JSON.parse(text) === 'object' });

/** Every call parses one frame, as any transport does, and hands it to whoever is connected. */
export function refusals(): Case[] {
  const check = (answer: unknown): boolean => answer === true;
  const subjects: [string, () => Promise<Subject> | Subject][] = [
    [parseName, () => parsed(log)],
    [loggedName, openLogged],
    [officialName, openOfficial],
    [parseAskedName, () => parsed(request)],
    [askedName, openAsked],
  ];
  return subjects.map(([name, open]) => ({ name, open, check }));
}

interface Spent {
  deliver(frame: unknown): void;
  /** What the connection sends goes here instead of to a server, so that no server's work is measured. */
  answered: (answer: unknown) => void;
  readonly client: Client;
  close(): Promise<void>;
}

/** Connected, with one log entry and one request left. */
async function openSpent(): Promise<Spent> {
  const bulkhead = await createBulkhead({
    handler: new URL('./answers.js', import.meta.url),
    inputRateLimit: { perSecond: 0.001, burst: 1 },
    logRateLimit: { perSecond: 0.001, burst: 1 },
    sampling: { allowIdle: true },
  });
  const { transport } = createScriptedServer();
  const send = transport.send;
  let flooding = false;
  transport.send = async (message) => (flooding ? spent.answered(message) : await send(message));
  const client = new Client(info);
  bulkhead.attach(transport, { serverId: 'server', client: client as never });
  await client.connect(transport as never);
  flooding = true;
  const deliver = transport.onmessage as Spent['deliver'];
  const spent: Spent = { deliver, answered: () => {}, client, close: () => bulkhead.close() };
  return spent;
}

async function openLogged(): Promise<Subject> {
  const { client, close, deliver } = await openSpent();
  let seen = 0;
  client.setNotificationHandler('notifications/message', () => void seen++);
  deliver(JSON.parse(log));
  return {
    call() {
      deliver(JSON.parse(log));
      // The first one passed, and none after it.
      return seen <= 1;
    },
    close,
  };
}

async function openAsked(): Promise<Subject> {
  const spent = await openSpent();
  const call = (): Promise<unknown> =>
    new Promise((resolve) => {
      spent.answered = resolve;
      spent.deliver(JSON.parse(request));
    });
  await call();
  return { call: async () => ((await call()) as { error?: { code?: number } }).error?.code === -1, close: spent.close };
}

async function openOfficial(): Promise<Subject> {
  const { transport } = createScriptedServer();
  const client = new Client(info);
  client.setNotificationHandler('notifications/message', () => {});
  await client.connect(transport as never);
  const deliver = transport.onmessage as Spent['deliver'];
  return {
    call() {
      deliver(JSON.parse(log));
      return true;
    },
    close: () => client.close(),
  };
}
