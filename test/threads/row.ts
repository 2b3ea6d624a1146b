/**
 * One row of the containment table, run for real: a bulkhead, a scripted server that asks, a callback that misbehaves, and then a
 * callback of another server that must be answered.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bulkhead, createBulkhead } from '../../src/index.js';
import type { InputRecord } from '../../src/journal.js';
import type { LimitOptions } from '../../src/options.js';
import { createScriptedServer, type ScriptedServer } from '../../src/testing/index.js';
import type { ThreadOptions } from '../../src/threads.js';

export interface RowSetting {
  /** Name of the act in `test/fixtures/handlers/hostile.mjs`. */
  readonly act: string;
  readonly limits?: LimitOptions;
  readonly threads?: ThreadOptions;
  /** Another server's callback runs while the first one's leftovers fail. */
  readonly beside?: true;
  /** How long to go on listening for reports, in ms. */
  readonly settle?: number;
}

/** What was seen, as text; no value of a callback is in it. */
export interface Seen {
  readonly act: string;
  /** `result`, or the error's code. */
  readonly server: string;
  /** How the callback ended, and what was reported beside it. */
  readonly host: string;
  /** `result` if the next callback was answered. */
  readonly next: string;
  /** Longest time the main thread could not turn, in ms. */
  readonly stall: number;
}

const handler = new URL('../../../test/fixtures/handlers/hostile.mjs', import.meta.url);

export async function playRow({ act, limits, threads, beside, settle = beside ? 50 : 0 }: RowSetting): Promise<Seen> {
  const bulkhead = await createBulkhead({
    handler,
    handlerTimeout: 20_000,
    busyTimeout: 0,
    ...limits,
    ...(threads === undefined ? {} : { threads }),
    host: { echo: (data: unknown) => data },
  });
  const reports: string[] = [];
  let lines = 0;
  bulkhead.on('output', () => void lines++);
  bulkhead.on('undead', ({ count }) => void (count > 0 && reports.push('undead thread')));
  bulkhead.on('stray', ({ serverId, fault }) => void reports.push(`stray of ${serverId}: ${fault.message}`));
  const hostile = createScriptedServer();
  const innocent = createScriptedServer();
  const connections = [
    await bulkhead.connect(hostile.transport, { serverId: 'hostile' }),
    // What counts is that it is answered; on a busy machine a thread may take its time to start.
    await bulkhead.connect(innocent.transport, { serverId: 'innocent', handlerTimeout: 30_000 }),
  ];
  const records: InputRecord[] = [];
  connections[0]?.on('input', (record) => void records.push(record));
  await warm(bulkhead);
  const stalls = watchStalls();
  const server = await ask(hostile, act);
  const next = await ask(innocent, beside ? 'slow' : 'answer');
  await sleep(settle);
  const stall = stalls.end();
  const host = [...records.map(spell), ...(lines > 0 ? [`${lines} lines printed`] : []), ...new Set(reports)].join('; ');
  await bulkhead.close();
  return { act, server, host, next, stall };
}

/** Until the first cell and its spare are loaded: that is how things stand in steady state. */
async function warm(bulkhead: Bulkhead): Promise<void> {
  while ((bulkhead.stats().isolation[0]?.spares ?? 0) < 2) await sleep(2);
}

async function ask(server: ScriptedServer, message: string): Promise<string> {
  const params = { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } };
  const answer = await server.request('elicitation/create', params);
  return 'error' in answer && answer.error !== undefined ? String(answer.error.code) : 'result';
}

function spell({ outcome, stages, fault, reason }: InputRecord): string {
  const what = fault === undefined ? reason : `${fault.name}: ${fault.message}`;
  return [outcome, stages.callback, what].filter((part) => part !== undefined && part !== 'pass').join(', ');
}

function watchStalls(): { end(): number } {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 5);
    last = performance.now();
  }, 5);
  return {
    end() {
      clearInterval(timer);
      return Math.round(Math.max(longest, performance.now() - last - 5));
    },
  };
}
