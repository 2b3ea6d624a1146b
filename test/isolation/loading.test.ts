import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Piscina } from 'piscina';
import { runnerLimits } from '../../src/contract/messages.js';
import type { Cell } from '../../src/isolation/cell.js';
import { createThreadCarrier } from '../../src/isolation/thread.js';
import { defaultThreads } from '../../src/threads.js';
import { deferred } from './given.js';

interface Loading {
  readonly cell: Cell;
  readonly gone: Promise<void>;
  /** Whether the module has been read to its end. */
  ended(): boolean;
}

/** A thread in the middle of a module that says where it is by making files. */
async function loading(t: TestContext, middle: string, loaded?: () => void): Promise<Loading> {
  const home = mkdtempSync(join(tmpdir(), 'bulkhead-loading-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const file = (name: string): string => join(home, name);
  const made = (name: string): string => `require('node:fs').writeFileSync(${JSON.stringify(file(name))}, '');`;
  writeFileSync(file('handler.cjs'), `${made('begun')} ${middle} ${made('ended')} exports.listRoots = () => ({ roots: [] });`);
  const gone = deferred();
  const failed = (what: unknown) => assert.fail(JSON.stringify(what));
  const events = { message: failed, stuck: failed, violated: () => failed('violated'), died: failed, gone: gone.resolve };
  const cell = createThreadCarrier(defaultThreads).start(events);
  const url = pathToFileURL(file('handler.cjs')).href;
  cell.run({ type: 'load', url, services: [], version: 0, limits: runnerLimits }, loaded ?? failed);
  while (!existsSync(file('begun'))) await new Promise((resolve) => setTimeout(resolve, 1));
  return { cell, gone: gone.promise, ended: () => existsSync(file('ended')) };
}

const shortly = 'for (const end = Date.now() + 200; Date.now() < end; );';

test('a thread that is killed while it loads ends when it has loaded: within require Node 20 and 22 would abort the process', async (t) => {
  const { cell, ended, gone } = await loading(t, shortly);
  assert.ok(!ended());
  cell.kill();
  await gone;
  assert.ok(ended());
});

test('a thread that loads for ever ends when it is disowned', { timeout: 20_000 }, async (t) => {
  const { cell, ended, gone } = await loading(t, 'for (;;);');
  cell.kill();
  cell.disown();
  const held = setInterval(() => {}, 1000);
  await gone;
  clearInterval(held);
  assert.ok(!ended());
});

test('a thread has loaded only when its port has come, which nothing orders before its answer: what is sent next would be lost', async (t) => {
  const order: string[] = [];
  const { emit } = Piscina.prototype;
  t.mock.method(Piscina.prototype, 'emit', function late(this: Piscina, name: string, message?: { port?: unknown }) {
    if (name !== 'message' || message?.port === undefined) return emit.call(this, name, message);
    setTimeout(() => {
      order.push('port');
      emit.call(this, name, message);
    }, 200);
    return true;
  });
  const { cell, gone } = await loading(t, '', () => order.push('loaded'));
  while (!order.includes('loaded')) await new Promise((resolve) => setTimeout(resolve, 1));
  cell.kill();
  await gone;
  assert.deepEqual(order, ['port', 'loaded']);
});
