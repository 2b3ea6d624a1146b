/**
 * A host of its own for one attack, in a process of its own: it loads the attack in a tier, lets it run, lets a callback of another
 * server run after it, and reports over IPC what it noticed. If it dies instead, that is the finding.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BroadcastChannel } from 'node:worker_threads';
import { systemClock } from '../../../src/clock.js';
import type { JsonObject } from '../../../src/contract/handler.js';
import type { Permissions, PluginProgram } from '../../../src/contract/plugin.js';
import { createIsolation, type IsolationSettings } from '../../../src/isolation/create.js';
import type { Isolation, Outcome } from '../../../src/isolation/isolation.js';
import { resolveThreads } from '../../../src/threads.js';
import { type Attack, sourceOf } from './attack.js';
import { escapes } from './escapes.js';
import { resources } from './resources.js';

export type Tier = 'thread' | 'compartment' | 'process';

/** What the probe saw. */
export interface Sighting {
  /** Why the text did not load, if it did not. */
  readonly refused?: string;
  /** How the attack's own callback ended. */
  readonly outcome?: string;
  /** It got what it was after, or the callback of another server noticed it, or the host did. */
  readonly escaped?: boolean;
  /** Whether the callback after it was answered, and after how many ms. */
  readonly next?: number | null;
  /** Longest time that the host's main thread did not turn, in ms. */
  readonly lag?: number;
}

const [tier, name] = process.argv.slice(2) as [Tier, string];
const attack = [...escapes, ...resources].find((candidate) => candidate.name === name) as Attack;
const patience = 30_000;
const secret = 'a secret of the host';

const home = mkdtempSync(join(tmpdir(), 'bulkhead-probe-'));
const ports: number[] = [];

async function listen(answer: (url: string) => { status: number; location?: string; body: string }): Promise<Server> {
  const server = createServer((request, response) => {
    const { status, location, body } = answer(request.url ?? '/');
    response.writeHead(status, location === undefined ? {} : { location });
    response.end(body);
  }).listen(0, '127.0.0.1');
  server.unref();
  await new Promise((resolve) => server.once('listening', resolve));
  ports.push((server.address() as AddressInfo).port);
  return server;
}

function watchLag(): () => number {
  let last = performance.now();
  let longest = 0;
  setInterval(() => {
    longest = Math.max(longest, performance.now() - last - 10);
    last = performance.now();
  }, 10).unref();
  return () => Math.round(longest);
}

function listenToBroadcasts(): () => boolean {
  const channel = new BroadcastChannel('probe') as unknown as { onmessage: () => void; unref(): void };
  let heard = false;
  channel.onmessage = () => {
    heard = true;
  };
  channel.unref();
  return () => heard;
}

function grantedFor(permissions: Permissions = {}): Permissions {
  const { fetch } = permissions;
  return fetch === undefined ? permissions : { ...permissions, fetch: { ...fetch, origins: [`http://127.0.0.1:${ports[1]}`] } };
}

async function open(): Promise<Isolation> {
  const source = sourceOf(attack);
  const file = join(home, 'attack.cjs');
  writeFileSync(file, source);
  const threads = resolveThreads({ memoryBudget: 128 * 2 ** 20 });
  const program: PluginProgram = {
    ...{ name: 'attack', source, permissions: grantedFor(attack.granted) },
    callbacks: ['listRoots'],
    maxResultBytes: 2 ** 20,
  };
  const settings: IsolationSettings = {
    ...{ tier, handler: file, threads, services: { echo: (data) => data }, clock: systemClock },
    events: { stray: () => {}, output: () => {}, undead: () => {} },
  };
  return await createIsolation(tier === 'thread' ? settings : { ...settings, plugin: { program, maxMemoryMb: 64 } });
}

let requests = 0;

async function call(isolation: Isolation, serverId: string, assigns: JsonObject, ms: number, busyTimeout = 0): Promise<Outcome> {
  const run = isolation.run({
    ...{ kind: 'roots', serverId, connectionId: 1, params: undefined, state: undefined, busyTimeout, killGrace: 0 },
    context: {
      ...{ client: 'probe', serverId, era: 'legacy', assigns, relatedRequestId: null, kind: 'roots' },
      ...{ requestId: ++requests, deadline: Date.now() + ms, serverInfo: null },
    },
  });
  const timer = setTimeout(() => run.kill('timeout'), ms);
  const outcome = await run.outcome;
  clearTimeout(timer);
  return outcome;
}

const saidYes = (outcome: Outcome): boolean =>
  outcome.type === 'returned' && (outcome.value as { escaped?: unknown } | null)?.escaped === true;

function wordsFor(outcome: Outcome): string {
  if (outcome.type === 'crashed') return `${outcome.reason}: ${outcome.fault.message}`.slice(0, 200);
  return outcome.type === 'killed' || outcome.type === 'busy' ? `${outcome.type}: ${outcome.reason}` : outcome.type;
}

/** Calls until one is answered: the next may find its cell still on the way. */
async function callAfter(isolation: Isolation, assigns: JsonObject): Promise<{ ms: number | null; yes: boolean }> {
  const since = performance.now();
  while (performance.now() - since < patience) {
    const outcome = await call(isolation, 'other', assigns, patience, 1000);
    if (outcome.type === 'returned') return { ms: Math.round(performance.now() - since), yes: saidYes(outcome) };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { ms: null, yes: false };
}

async function sight(): Promise<Sighting> {
  await listen(() => ({ status: 200, body: secret }));
  await listen((url) =>
    url.startsWith('/redirect')
      ? { status: 302, location: `http://127.0.0.1:${ports[0]}/`, body: '' }
      : { status: 200, body: 'granted' },
  );
  const [port = 0, granted = 0] = ports;
  const files = { file: join(home, 'secret.txt'), out: join(home, 'out.txt') };
  writeFileSync(files.file, secret);
  const heard = listenToBroadcasts();
  let isolation: Isolation;
  try {
    isolation = await open();
  } catch (error) {
    return { refused: (error as Error).message.slice(0, 200), escaped: false };
  }
  const lag = watchLag();
  const assigns = { secret, port, granted, ...files };
  const first = await call(isolation, 'first', assigns, attack.deadline ?? 5000);
  const after = await callAfter(isolation, assigns);
  const touched = heard() || existsSync(files.out) || ({} as { polluted?: unknown }).polluted !== undefined;
  return { outcome: wordsFor(first), escaped: saidYes(first) || after.yes || touched, next: after.ms, lag: lag() };
}

process.on('exit', () => rmSync(home, { recursive: true, force: true }));
const sighting = await sight();
process.send?.(sighting, () => process.kill(process.pid, 'SIGKILL'));
