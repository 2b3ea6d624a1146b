/** One child process, from the host's side, with a process that is no process and a clock that is turned by hand. */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { FromChild, ToChild } from '../../src/contract/child.js';
import { createChild } from '../../src/isolation/process-child.js';
import type { CellListener } from '../../src/isolation/process-work.js';
import { createManualClock } from '../../src/testing/index.js';

class FakeProcess extends EventEmitter {
  readonly pid = undefined;
  readonly sent: ToChild[] = [];
  readonly connected = true;
  readonly signals: string[] = [];
  send(message: ToChild): void {
    this.sent.push(message);
  }
  kill(signal: string): void {
    this.signals.push(signal);
    queueMicrotask(() => this.emit('exit', null, signal));
  }
  ref(): void {}
  unref(): void {}
  say(message: FromChild): void {
    this.emit('message', message);
  }
}

interface Heard {
  readonly cells: string[];
  readonly crashes: string[];
}

function open(delay = 0, clock = createManualClock()) {
  const fake = new FakeProcess();
  const heard: Heard & { over: number; launched: number } = { cells: [], crashes: [], over: 0, launched: 0 };
  const child = createChild({
    launch() {
      heard.launched++;
      return fake as unknown as ChildProcess;
    },
    ...{ delay, settings: { workerData: null, execArgv: [], resourceLimits: {} }, maxMemoryMb: 64, clock },
    crashed: ({ running, fault }) => heard.crashes.push(`${running}: ${fault.message}`),
    over: () => heard.over++,
  });
  const listener = (name: string): CellListener => ({
    reply: () => heard.cells.push(`${name} reply`),
    message: () => heard.cells.push(`${name} message`),
    violated: () => heard.cells.push(`${name} violated`),
    stuck: (run) => heard.cells.push(`${name} stuck at ${run}`),
    died: (memory) => heard.cells.push(`${name} died${memory ? ' of memory' : ''}`),
    gone: () => heard.cells.push(`${name} gone`),
  });
  return { clock, fake, heard, child, listener };
}

const task = { type: 'run' } as never;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a child that says nothing for five seconds while it runs something is killed, and everybody is told once', async () => {
  const { clock, fake, heard, child, listener } = open();
  child.start(1, listener('one'));
  child.start(2, listener('two'));
  child.post({ type: 'run', cell: 1, task });
  clock.advance(4900);
  fake.say({ type: 'pulse', active: [[1, 10]], resident: 0 });
  assert.equal(child.active(1), 10);
  clock.advance(4900);
  assert.deepEqual(fake.signals, []);
  clock.advance(200);
  await turn();
  assert.deepEqual(fake.signals, ['SIGKILL']);
  assert.deepEqual(heard.crashes, ["1: the plugin's process is gone: it did not answer for 5000 ms"]);
  assert.deepEqual(heard.cells, ['one died', 'one gone', 'two died', 'two gone']);
  assert.deepEqual([heard.over, child.open], [1, false]);
});

test('a host that was blocked, or slept, has not listened: its child lives', () => {
  const turned = createManualClock();
  let lost = 0;
  const { fake, child, listener } = open(0, { ...turned, elapsed: () => turned.elapsed() + lost });
  child.start(1, listener('one'));
  child.post({ type: 'run', cell: 1, task });
  turned.advance(100);
  lost = 3_600_000;
  turned.advance(100);
  fake.say({ type: 'pulse', active: [], resident: 0 });
  turned.advance(100);
  assert.deepEqual(fake.signals, []);
});

test('a child that is idle may be silent', () => {
  const { clock, fake, child, listener } = open();
  child.start(1, listener('one'));
  clock.advance(60_000);
  child.post({ type: 'run', cell: 1, task });
  clock.advance(100);
  fake.say({ type: 'reply', cell: 1, reply: {} });
  clock.advance(60_000);
  assert.deepEqual(fake.signals, []);
});

test('a child beyond its memory, by its own word where the platform says nothing, is killed at the second look', async () => {
  const { clock, fake, heard, child, listener } = open();
  child.start(1, listener('one'));
  child.post({ type: 'run', cell: 1, task });
  fake.say({ type: 'pulse', active: [], resident: 2 ** 30 });
  clock.advance(25);
  assert.deepEqual(fake.signals, []);
  clock.advance(25);
  await turn();
  assert.deepEqual(heard.crashes, ["1: the plugin's process is gone: it grew beyond 64 MiB"]);
  assert.deepEqual(heard.cells, ['one died of memory', 'one gone']);
});

test('an abort of the process counts as memory, any other end does not', async () => {
  for (const [code, signal, memory] of [
    [null, 'SIGABRT', true],
    [134, null, true],
    [null, 'SIGTRAP', true],
    [null, 'SIGSEGV', false],
    [1, null, false],
  ] as const) {
    const { fake, heard, child, listener } = open();
    child.start(1, listener('one'));
    fake.emit('exit', code, signal);
    assert.deepEqual(heard.cells, [memory ? 'one died of memory' : 'one died', 'one gone']);
    assert.equal(heard.crashes.length, 1);
  }
});

test('what is posted before a delayed start is kept, in order', () => {
  const { clock, fake, heard, child, listener } = open(400);
  child.start(1, listener('one'));
  child.post({ type: 'run', cell: 1, task });
  clock.advance(399);
  assert.equal(heard.launched, 0);
  clock.advance(1);
  assert.deepEqual(
    fake.sent.map(({ type }) => type),
    ['open', 'start', 'run'],
  );
});

test('a retired child takes no new cell, gives up its idle ones, and ends with the last callback', async () => {
  const { fake, heard, child, listener } = open();
  for (const [cell, name] of [
    [1, 'stuck'],
    [2, 'busy'],
    [3, 'idle'],
  ] as const)
    child.start(cell, listener(name));
  child.post({ type: 'run', cell: 1, task });
  child.post({ type: 'run', cell: 2, task });
  child.post({ type: 'kill', cell: 1 });
  child.retire();
  assert.deepEqual([child.open, heard.cells, fake.signals], [false, ['idle died'], []]);
  fake.say({ type: 'reply', cell: 2, reply: {} });
  assert.deepEqual(fake.signals, ['SIGKILL']);
  await turn();
  assert.equal(heard.crashes.length, 1);
});

test('a child that forges messages is killed; a reply that nobody asked for is a violation of its cell', async () => {
  const { fake, heard, child, listener } = open();
  child.start(1, listener('one'));
  fake.say({ type: 'reply', cell: 1, reply: {} });
  assert.deepEqual(heard.cells, ['one violated']);
  fake.emit('message', { type: 'hello' });
  await turn();
  assert.deepEqual(heard.crashes, ["0: the plugin's process is gone: it sent messages of its own"]);
});

const frames: readonly unknown[] = [
  7,
  null,
  'pulse',
  [],
  { type: 'pulse', active: {}, resident: 1 },
  { type: 'pulse', active: [1], resident: 1 },
  { type: 'pulse', active: [null], resident: 1 },
  { type: 'pulse', active: [[1]], resident: 1 },
  { type: 'pulse', active: [], resident: '1' },
  { type: 'reply', cell: '1', reply: {} },
  { type: 'stuck', cell: 1, run: '7' },
  { type: 'died', cell: 1, memory: false },
  { type: 'died', cell: 1, memory: false, fault: null },
  { type: 'died', cell: 1, memory: false, fault: { name: 'Error' } },
];
for (const frame of frames) {
  test(`a forged frame ends the child and hurts nobody else: ${JSON.stringify(frame)}`, async () => {
    const { fake, heard, child, listener } = open();
    child.start(1, listener('one'));
    child.post({ type: 'run', cell: 1, task });
    fake.emit('message', frame);
    await turn();
    assert.deepEqual(heard.crashes, ["1: the plugin's process is gone: it sent messages of its own"]);
  });
}

test('a child that was told to end is no crash', async () => {
  const { fake, heard, child } = open();
  child.kill();
  await turn();
  assert.deepEqual([fake.signals, heard.crashes, heard.over], [['SIGKILL'], [], 1]);
});
