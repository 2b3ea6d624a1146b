/**
 * So many connections in one fresh process, each with its own client and server: `node --expose-gc crowd.js <host> <connections>`.
 * Prints, as JSON, what they take and what one request costs while they are open. Host: `official client`, or a tier of ours.
 */
import { openProcessor } from '../../src/cli/measure/processor.js';
import { quantile } from '../../src/cli/measure/statistics.js';
import type { Tier } from '../../src/options.js';
import { form, isAccepted } from './form.js';
import { type Asking, attachTo, createAsking, official, officialName, openBulkhead } from './wire.js';

export interface Crowd {
  /** Bytes of heap, and resident bytes, for all connections together. */
  readonly heap: number;
  readonly resident: number;
  /** Milliseconds to open one connection. */
  readonly open: number;
  /** Microseconds a request, one at a time, the connections taking turns. */
  readonly p50: number;
  readonly p99: number;
  /** Main-thread microseconds a request. */
  readonly processor: number;
}

const [host = officialName, connections = '1', requests = '2000'] = process.argv.slice(2);
const servers: Asking[] = Array.from({ length: Number(connections) }, createAsking);
const connect = await opener();

// One of them warms the code; what is shared by all is no cost of a connection.
const first = createAsking();
await connect(first, 'first');
await ask(first);

const before = await memory();
const started = performance.now();
for (const [at, server] of servers.entries()) await connect(server, `server ${at}`);
const open = (performance.now() - started) / servers.length;
for (const server of servers) await ask(server);
const after = await memory();
const taken = { heap: after.heap - before.heap, resident: after.resident - before.resident };
console.log(JSON.stringify({ ...taken, open, ...(await turns(Number(requests))) } satisfies Crowd));
process.exit(0);

async function opener(): Promise<(server: Asking, name: string) => Promise<unknown>> {
  if (host === officialName) return official;
  const bulkhead = await openBulkhead(host as Tier, 1);
  return (server, name) => attachTo(bulkhead, server, name);
}

async function ask(server: Asking): Promise<void> {
  const answer = await server.request('elicitation/create', form);
  if (!isAccepted(answer.result)) throw new Error(`${host}: the work was not done: ${JSON.stringify(answer)}`);
}

async function turns(count: number): Promise<Pick<Crowd, 'p50' | 'p99' | 'processor'>> {
  const processor = openProcessor();
  const times: number[] = [];
  for (let turn = 0; turn < count / 10; turn++) await ask(servers[turn % servers.length] as Asking);
  const used = processor.read();
  for (let turn = 0; turn < count; turn++) {
    const began = performance.now();
    await ask(servers[turn % servers.length] as Asking);
    times.push((performance.now() - began) * 1000);
  }
  return { p50: quantile(times, 0.5), p99: quantile(times, 0.99), processor: (processor.read() - used) / count };
}

async function memory(): Promise<{ heap: number; resident: number }> {
  const { gc } = globalThis as { gc?: () => void };
  for (let turn = 0; turn < 3; turn++) {
    gc?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { external, heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed + external, resident: rss };
}
