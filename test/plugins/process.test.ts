/** The process tier itself: what a crash takes with it, what it leaves, and that nothing outlives its host. */
import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Clock, systemClock } from '../../src/clock.js';
import { runnerLimits } from '../../src/contract/messages.js';
import { createIsolation } from '../../src/isolation/create.js';
import type { HostServiceTable, Isolation, IsolationEvents, Run, Stray, Task } from '../../src/isolation/isolation.js';
import { createProcessCarrier } from '../../src/isolation/process.js';
import { resolveThreads } from '../../src/threads.js';
import { deferred, task } from '../isolation/given.js';

type Crash = Parameters<NonNullable<IsolationEvents['crashed']>>[0];

const source = `
const acts = {
  answer: () => ({ roots: [] }),
  wait: (context) => context.host.wait(),
  spin: () => { for (;;); },
  leave: () => {
    const go = () => void Promise.resolve().then(go);
    go();
    return { roots: [] };
  },
  parse: async (context) => {
    const text = JSON.stringify(Array.from({ length: 1e5 }, (_, n) => n));
    await context.host.started();
    for (;;) JSON.parse(text);
  },
  bomb: () => 'x'.repeat(2 ** 27).split(''),
};
exports.listRoots = (context) => acts[context.assigns.act](context);`;

interface Given {
  readonly isolation: Isolation;
  readonly crashes: Crash[];
  /** The first late failure. */
  readonly stray: Promise<Stray>;
  run(act: string, more?: Partial<Task>): Run;
}

async function open(t: TestContext, services: HostServiceTable = {}): Promise<Given> {
  const crashes: Crash[] = [];
  const stray = deferred<Stray>();
  const granted = Object.fromEntries(Object.keys(services).map((name) => [name, {}]));
  const program = {
    name: 'p',
    source,
    permissions: { services: granted },
    callbacks: ['listRoots'],
    maxResultBytes: 1000,
  } as const;
  const isolation = await createIsolation({
    ...{ tier: 'process', handler: undefined, plugin: { program, maxMemoryMb: 64 }, threads: resolveThreads({}), services },
    events: { stray: stray.resolve, output: () => {}, undead: () => {}, crashed: (event) => void crashes.push(event) },
    clock: systemClock,
  });
  t.after(() => isolation.close('kill'));
  const run = (act: string, more: Partial<Task> = {}): Run => {
    const asked = task(undefined, { kind: 'roots', ...more });
    return isolation.run({ ...asked, context: { ...asked.context, assigns: { act } } as never });
  };
  return { isolation, crashes, stray: stray.promise, run };
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** A service that says when it was called, and answers with `answer`. */
function waitFor(called: { resolve(value: undefined): void }, answer: Promise<unknown>): Promise<unknown> {
  called.resolve(undefined);
  return answer;
}

/** Answers until a callback runs in a process where a spare stands behind it. */
async function settled({ run }: Given): Promise<number> {
  await run('answer').outcome;
  await new Promise((resolve) => setTimeout(resolve, 800));
  return (await run('answer').outcome).threadId;
}

test('a crash is one event and takes with it what ran in that process; the spare answers the next request', async (t) => {
  const called = deferred();
  const given = await open(t, { wait: () => waitFor(called, new Promise(() => {})) });
  const pid = await settled(given);
  const waiting = given.run('wait', { serverId: 'other' });
  await called.promise;
  const bomb = await given.run('bomb').outcome;
  assert.equal(bomb.type, 'crashed');
  assert.equal(bomb.type === 'crashed' && bomb.reason, 'memory', JSON.stringify(bomb));
  const next = await given.run('answer').outcome;
  assert.equal(next.type, 'returned', JSON.stringify([bomb, next, given.crashes]));
  if (given.crashes.length === 0) {
    // V8 stopped the thread before anything could stop the process: then the sibling lives on.
    waiting.kill('closed');
    return;
  }
  assert.notEqual(next.threadId, pid);
  assert.equal((await waiting.outcome).type, 'crashed');
  assert.deepEqual(
    given.crashes.map((crash) => [crash.pid, crash.running]),
    [[pid, 2]],
  );
  assert.equal(alive(pid), false);
});

test('a kill ends one thread: what waits in the same process goes on', async (t) => {
  const called = deferred();
  const answer = deferred<unknown>();
  const given = await open(t, { wait: () => waitFor(called, answer.promise) });
  const waiting = given.run('wait', { serverId: 'other' });
  await called.promise;
  const spinning = given.run('spin');
  await new Promise((resolve) => setTimeout(resolve, 50));
  spinning.kill('timeout');
  assert.equal((await spinning.outcome).type, 'killed');
  assert.equal((await given.run('answer').outcome).type, 'returned');
  answer.resolve({ roots: [] });
  assert.equal((await waiting.outcome).type, 'returned');
  assert.deepEqual(given.crashes, []);
});

test('what a callback left running is blamed on it, and costs the next one on its thread no more than a moment', async (t) => {
  const given = await open(t);
  await settled(given);
  assert.equal((await given.run('leave', { serverId: 'leaves' }).outcome).type, 'returned');
  assert.equal((await given.run('answer', { serverId: 'next' }).outcome).type, 'returned');
  const { serverId, fault } = await given.stray;
  assert.deepEqual([serverId, fault.name], ['leaves', 'BusyError']);
});

test('a thread that cannot be stopped costs its process, but not what waits there', async (t) => {
  const called = deferred();
  const started = deferred();
  const answer = deferred<unknown>();
  const given = await open(t, { wait: () => waitFor(called, answer.promise), started: () => started.resolve() });
  const pid = await settled(given);
  const waiting = given.run('wait', { serverId: 'other' });
  await called.promise;
  const parsing = given.run('parse');
  await started.promise;
  await new Promise((resolve) => setTimeout(resolve, 50));
  parsing.kill('timeout');
  await new Promise((resolve) => setTimeout(resolve, 400));
  const next = await given.run('answer').outcome;
  assert.equal(next.type, 'returned');
  answer.resolve({ roots: [] });
  assert.equal((await waiting.outcome).type, 'returned');
  // Stopped in time after all, or its process is gone as soon as the last callback has left it.
  if (next.threadId === pid) return;
  while (alive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(
    given.crashes.map((crash) => crash.pid),
    [pid],
  );
});

test('a child has no environment of the host, and closing leaves no process', async (t) => {
  process.env.BULKHEAD_TEST_SECRET = 'secret';
  t.after(() => delete process.env.BULKHEAD_TEST_SECRET);
  const given = await open(t);
  const pid = await settled(given);
  if (process.platform === 'linux') {
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((entry) => entry.split('=')[0])
      .filter(Boolean);
    assert.deepEqual(
      names.filter((name) => !/^(?:NODE_CHANNEL_|PWD$|OLDPWD$|SHLVL$|_$)/.test(name as string)),
      [],
    );
  }
  await given.isolation.close('kill');
  assert.equal(alive(pid), false);
  assert.deepEqual(given.crashes, []);
});

test('a child inherits no descriptor of the host: nothing to read, nothing to write, and a file of the host is not there', async (t) => {
  if (process.platform !== 'linux') return t.diagnostic('descriptors can be looked at on Linux only');
  const file = join(mkdtempSync(join(tmpdir(), 'bulkhead-process-')), 'secret');
  writeFileSync(file, 'secret');
  const opened = openSync(file, 'r');
  t.after(() => closeSync(opened));
  const pid = await settled(await open(t));
  const held = readdirSync(`/proc/${pid}/fd`).map((fd) => [fd, readlinkSync(`/proc/${pid}/fd/${fd}`)] as const);
  const standard = held.filter(([fd]) => Number(fd) < 3).map(([, target]) => target);
  assert.deepEqual(standard, ['/dev/null', '/dev/null', '/dev/null']);
  const files = held.map(([, target]) => target).filter((target) => target.startsWith('/') && !target.startsWith('/dev/'));
  assert.deepEqual(files, []);
});

test('after each crash the next child starts later: 0.1 s, 0.2 s, and so on', async (t) => {
  // A child that is idle holds nothing open.
  const held = setInterval(() => {}, 1000);
  t.after(() => clearInterval(held));
  const delays: number[] = [];
  const clock: Clock = {
    ...systemClock,
    after(ms, fn) {
      delays.push(ms);
      return systemClock.after(ms, fn);
    },
  };
  const program = { name: 'p', source, permissions: {}, callbacks: ['listRoots'], maxResultBytes: 1000 } as const;
  const events = { stray: () => {}, output: () => {}, undead: () => {} };
  const plugin = { program, maxMemoryMb: 64 };
  const { carrier } = await createProcessCarrier(resolveThreads({ spares: 0 }), plugin, clock, events);
  for (let crash = 0; crash < 3; crash++) {
    const gone = deferred();
    const cell = carrier.start({ message: () => {}, violated: () => {}, died: () => {}, gone: () => gone.resolve() });
    const loaded = deferred<unknown>();
    cell.run({ type: 'load', url: 'plugin:p', services: [], version: 0, limits: runnerLimits }, loaded.resolve);
    assert.equal(((await loaded.promise) as { type: string }).type, 'loaded');
    process.kill(cell.threadId, 'SIGKILL');
    await gone.promise;
  }
  await carrier.close();
  assert.deepEqual(
    delays.filter((ms) => ms >= 100 && ms < 5000),
    [100, 200],
  );
});

test('a child ends with its host, however the host ends', async () => {
  const host = fork(new URL('./process.host.js', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [pid] = await new Promise<[number]>((resolve) => host.once('message', (message) => resolve(message as [number])));
  assert.ok(alive(pid));
  host.kill('SIGKILL');
  while (alive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
});
