/**
 * The soak, in a process of its own: calls over one Streamable HTTP and one stdio connection whose server asks for everything at once,
 * gives some of it up, and whose host gives calls up, over real threads that are killed. Prints what it counted, and must then end by
 * itself: nothing here calls `process.exit`.
 */
import { getEventListeners } from 'node:events';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Connection, createBulkhead, type InputRecord } from '../../src/index.js';
import { createRandom, type Random } from '../simulation/random.js';
import { createAskingServer, type Step } from '../support/asking.js';
import { serveSessions } from '../support/http.js';

const [total = 600, seed = 1] = process.argv.slice(2).map(Number);
const wave = 8;

export interface Counts {
  /** Input requests that came in. */
  readonly requests: number;
  readonly outcomes: { readonly [outcome: string]: number };
  /** Ids answered more than once, or though they were cancelled, or not at all. */
  readonly wrong: readonly string[];
  /** What the books still hold after the last call. */
  readonly left: readonly unknown[];
  /** Listeners on the signals of the calls. */
  readonly listeners: number;
  readonly aborted: number;
  readonly warnings: readonly string[];
  readonly handles: readonly string[];
}

interface Tally {
  readonly connection: Connection;
  readonly records: InputRecord[];
  readonly answers: Map<unknown, number>;
}

const warnings: string[] = [];
process.on('warning', (warning) => warnings.push(String(warning)));

const bulkhead = await createBulkhead({
  handler: new URL('./handler.js', import.meta.url),
  ...{ handlerTimeout: 1_500, busyTimeout: 60, inputRateLimit: { perSecond: 1e6, burst: 1e6 } },
  threads: { max: 16, spares: 3 },
});
const served = await serveSessions(createAskingServer);
const server = new URL('../support/stdio-asking.js', import.meta.url).pathname;
const signals: AbortSignal[] = [];

/** Counts the answers below the tap: what is counted here is what leaves. */
async function open(serverId: string, transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Tally> {
  const answers = new Map<unknown, number>();
  const send = transport.send.bind(transport) as (message: object, options?: object) => Promise<void>;
  transport.send = (message: object, options?: object) => {
    if ('id' in message && !('method' in message)) answers.set(message.id, (answers.get(message.id) ?? 0) + 1);
    return send(message, options);
  };
  const connection = await bulkhead.connect(transport as never, { serverId });
  const records: InputRecord[] = [];
  connection.on('input', (record) => records.push(record));
  return { connection, records, answers };
}

function ask(random: Random): Step {
  const order = random.weighed([
    [60, ''],
    [15, 'wait'],
    [8, 'refuse'],
    [8, 'throw'],
    [4, 'hang'],
    [1, 'spin'],
    [1, 'exit'],
  ] as const);
  const gone = order === 'hang' || random.chance(0.08) ? { cancelAfter: random.below(6) } : {};
  return random.pick<Step>([
    {
      ask: 'elicitation/create',
      params: { message: order, requestedSchema: { type: 'object', properties: {} } },
      ...gone,
    },
    {
      ask: 'sampling/createMessage',
      params: { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 5, systemPrompt: order },
      ...gone,
    },
    { ask: 'roots/list', ...gone },
  ]);
}

async function drive({ connection, records }: Tally, random: Random): Promise<number> {
  let aborted = 0;
  while (records.length < total / 2) {
    await Promise.all(
      [1, 2].map(async () => {
        const steps: Step[] = [{ together: [...Array(wave / 2)].map(() => ask(random)) }, ask(random)];
        const controller = new AbortController();
        signals.push(controller.signal);
        const timer = random.chance(0.1) ? setTimeout(() => controller.abort(), random.below(20)) : undefined;
        const call = connection.callTool({ name: 'ask', arguments: { steps } }, { signal: controller.signal });
        await call.catch(() => aborted++);
        clearTimeout(timer);
      }),
    );
    // Node's fetch takes its listeners off a signal when they are collected; the transport has one signal for all it sends.
    if (random.chance(0.1)) globalThis.gc?.();
  }
  return aborted;
}

function wrongIn({ records, answers }: Tally): string[] {
  return records.flatMap(({ requestId, outcome }) => {
    const times = answers.get(requestId) ?? 0;
    const right = outcome === 'cancelled' ? 0 : 1;
    return times === right ? [] : [`${requestId} (${outcome}) was answered ${times} times`];
  });
}

const tallies = [
  await open('http', new StreamableHTTPClientTransport(served.url)),
  await open('stdio', new StdioClientTransport({ command: process.execPath, args: [server] })),
];
const aborted = await Promise.all(tallies.map((tally, at) => drive(tally, createRandom(seed + at))));
// Callbacks of calls that ended normally may still run; all have ended once their deadline has passed.
while (tallies.some(({ connection }) => connection.stats().running > 0)) await new Promise((resolve) => setTimeout(resolve, 20));
const left = tallies.map(({ connection }) => {
  const { running, calls, books } = connection.stats();
  return { running, calls, ...books };
});
for (const { connection } of tallies) await connection.close();
await bulkhead.close();
await served.close();
// Sockets take a moment to go; threads, ports and timers have gone with `close()`.
for (let left = 200; left > 0 && process.getActiveResourcesInfo().some((name) => name.startsWith('TCP')); left--)
  await new Promise((resolve) => setTimeout(resolve, 10));

const records = tallies.flatMap((tally) => tally.records);
const outcomes: Record<string, number> = {};
for (const { outcome } of records) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
const counts: Counts = {
  requests: records.length,
  outcomes,
  wrong: tallies.flatMap(wrongIn),
  left,
  listeners: signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0),
  aborted: aborted.reduce((sum, count) => sum + count, 0),
  warnings,
  handles: process.getActiveResourcesInfo(),
};
console.log(JSON.stringify(counts));
