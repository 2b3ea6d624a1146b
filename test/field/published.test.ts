// Published servers, driven through mcp-bulkhead as a host would: what they ask is answered, and they hear of changes.
import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Client } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { type Bulkhead, type Connection, createBulkhead, type TransportLike } from '../../src/index.js';
import type { InputRecord } from '../../src/journal.js';
import { everythingCommand, fastmcpCommand, filesystemCommand } from '../support/commands.js';
import { everythingTools, fastmcpTools } from '../support/published.js';

let bulkhead: Bulkhead;
/** What the host offers each server; a server that is not named gets the scratch folder. */
const folders = new Map<string, readonly string[]>();
let scratch: string;

before(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'bulkhead-')));
  bulkhead = await createBulkhead({
    handler: new URL('./person.js', import.meta.url),
    host: { folders: async (_data: unknown, { serverId }: { serverId: string }) => folders.get(serverId) ?? [scratch] },
    roots: { listChanged: true },
    inputRateLimit: { perSecond: 1000, burst: 200 },
  });
});

after(async () => {
  await bulkhead.close();
  await rm(scratch, { recursive: true });
});

interface Watched {
  readonly connection: Connection<Client>;
  readonly records: InputRecord[];
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  /** Resolves when the server has been answered for its `count`th request for roots. */
  rootsAnswered(count: number): Promise<void>;
}

async function watch(command: Parameters<Bulkhead['connect']>[0], serverId: string): Promise<Watched> {
  const connection = await bulkhead.connect(command, { serverId, clientOptions: { versionNegotiation: { mode: 'legacy' } } });
  const records: InputRecord[] = [];
  let wake = () => {};
  connection.on('input', (record) => {
    records.push(record);
    wake();
  });
  const answered = () => records.filter((record) => record.kind === 'roots').length;
  return {
    connection,
    records,
    async call(name, args = {}) {
      const { content } = await connection.callTool({ name, arguments: args });
      return (content as { text?: string }[]).map((block) => block.text ?? '').join('\n');
    },
    async rootsAnswered(count) {
      while (answered() < count)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    },
  };
}

/** Asks again until it is so: a server that has been answered still has to look at the folders. The test's time-out is the bound. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('published servers', { concurrency: true }, () => {
  test('server-everything gets sampling, a form, a page and its roots answered', async () => {
    const { connection, call, records, rootsAnswered } = await watch(everythingCommand, 'everything');
    await rootsAnswered(1);
    const { tools } = await connection.client.listTools();
    const names = tools.map((tool) => tool.name);
    for (const { name } of Object.values(everythingTools)) assert.ok(names.includes(name), `${name} is offered`);
    assert.match(await call(everythingTools.sampling.name, { prompt: 'hello' }), /"model": "person"/);
    assert.match(await call(everythingTools.form.name), /Ada/);
    assert.match(await call(everythingTools.url.name, { url: 'https://example.com/in' }), /User completed/);
    assert.ok((await call(everythingTools.roots.name)).includes(scratch));
    assert.deepEqual(
      records.map(({ kind, mode, outcome }) => `${mode ?? kind} ${outcome}`),
      ['roots answered', 'sampling answered', 'form answered', 'url answered'],
    );
    await connection.close();
  });

  test('B50: server-everything asks again for the roots after rootsChanged()', async () => {
    const { connection, call, rootsAnswered } = await watch(everythingCommand, 'everything, roots');
    await rootsAnswered(1);
    folders.set(connection.serverId, [scratch, '/']);
    connection.rootsChanged();
    connection.rootsChanged();
    await rootsAnswered(2);
    assert.match(await call(everythingTools.roots.name), /2 total/);
    await connection.close();
  });

  test('B30: a call of server-everything that fails with -32042 is retried once its page was accepted', async () => {
    const { connection, call, records } = await watch(everythingCommand, 'everything, -32042');
    const text = await call(everythingTools.url.name, { url: 'https://example.com/in', errorPath: true });
    assert.match(text, /User completed/);
    assert.equal(records.filter((record) => record.mode === 'url' && record.outcome === 'answered').length, 2);
    await connection.close();
  });

  test('B57: the progress of server-everything reaches the caller', async () => {
    const { connection } = await watch(everythingCommand, 'everything, progress');
    const seen: number[] = [];
    await connection.callTool(
      { name: everythingTools.progress.name, arguments: { duration: 0.3, steps: 3 } },
      { onprogress: ({ progress }) => seen.push(progress) },
    );
    assert.deepEqual(seen, [1, 2, 3]);
    await connection.close();
  });

  test('B50: server-filesystem follows rootsChanged()', { timeout: 20_000 }, async () => {
    const { connection, call, rootsAnswered } = await watch(filesystemCommand(), 'filesystem');
    await rootsAnswered(1);
    const inner = await realpath(await mkdtemp(join(scratch, 'inner-')));
    await until(async () => (await call('list_allowed_directories')).endsWith(scratch));
    folders.set(connection.serverId, [inner]);
    connection.rootsChanged();
    await rootsAnswered(2);
    await until(async () => (await call('list_allowed_directories')).endsWith(inner));
    assert.match(await call('list_directory', { path: scratch }), /Access denied/);
    await connection.close();
  });

  test('a server on fastmcp gets its form, page, sampling and roots answered', async () => {
    const { connection, call, rootsAnswered } = await watch(fastmcpCommand, 'on fastmcp');
    await rootsAnswered(1);
    assert.deepEqual(JSON.parse(await call(fastmcpTools.form)), { action: 'accept', content: { name: 'Ada' } });
    assert.deepEqual(JSON.parse(await call(fastmcpTools.url, { url: 'https://example.com/in' })), { action: 'accept' });
    assert.equal(JSON.parse(await call(fastmcpTools.sampling, { prompt: 'hello' })).model, 'person');
    assert.equal(JSON.parse(await call(fastmcpTools.roots))[0].uri, `file://${scratch}`);
    await connection.close();
  });

  test('server-everything hides the tools that the handler module could not answer', async () => {
    const connection = await bulkhead.connect(everythingCommand, {
      serverId: 'everything, hidden',
      handler: new URL('./forms-only.js', import.meta.url),
      clientOptions: { versionNegotiation: { mode: 'legacy' } },
    });
    const offered = new Set((await connection.client.listTools()).tools.map((tool) => tool.name));
    for (const { name, needs } of Object.values(everythingTools))
      assert.equal(offered.has(name), needs === null || needs === 'elicitation', `${name} needs ${needs}`);
    await connection.close();
  });

  test('B29: a task of server-everything asks on behalf of its task, which goes back on the answer (client v1)', async () => {
    const client = new ClientV1({ name: 'host', version: '1.0.0' });
    const transport = new StdioV1({ ...everythingCommand, args: [...everythingCommand.args] });
    const sent: unknown[] = [];
    const send = transport.send.bind(transport);
    transport.send = (message) => {
      sent.push(message);
      return send(message);
    };
    const connection = bulkhead.attach(transport as TransportLike, { serverId: 'everything, task', client });
    const outcomes: string[] = [];
    connection.on('input', ({ kind, outcome }) => kind === 'elicitation' && outcomes.push(outcome));
    await client.connect(transport);
    const args = { topic: 'python', ambiguous: true };
    const stream = client.experimental.tasks.callToolStream(
      { name: 'simulate-research-query', arguments: args },
      CallToolResultSchema,
      { task: { ttl: 60_000 } },
    );
    let last: unknown;
    let taskId = '';
    for await (const message of stream) {
      last = message;
      if (message.type === 'taskCreated') taskId = message.task.taskId;
    }
    assert.match(JSON.stringify(last), /python \(snake\)/);
    assert.deepEqual(outcomes, ['answered']);
    const answer = sent.find((message) => JSON.stringify(message).includes('"interpretation":"snake"')) as { result: object };
    assert.deepEqual(answer.result, {
      action: 'accept',
      content: { interpretation: 'snake' },
      _meta: { 'io.modelcontextprotocol/related-task': { taskId } },
    });
    await connection.close();
  });
});
