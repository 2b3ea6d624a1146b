import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { createSpell } from '../../src/connection/spell.js';
import { createManualClock } from '../../src/testing/index.js';

const module = (path: string): string => JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);

test('what waits in a spell wakes with its error when it ends, or at once where it has ended, and leaves no timer', async () => {
  const clock = createManualClock();
  const spell = createSpell(clock);
  const waiting = [spell.sleep(1_000), spell.until(() => () => {})];
  spell.end('timeout');
  for (const each of [...waiting, spell.sleep(5)]) await assert.rejects(each, { kind: 'cancelled', message: /timeout/ });
  assert.equal(clock.pending, 0);
});

test('B28: a spell remembers nothing of what has waited in it, so a task may be polled for days', async () => {
  const script = `
    import { createSpell } from ${module('connection/spell.js')};
    import { createManualClock } from ${module('testing/index.js')};
    const clock = createManualClock();
    const spell = createSpell(clock);
    const sleep = async (times) => {
      for (let n = 0; n < times; n++) {
        const slept = spell.sleep(1);
        clock.advance(1);
        await slept;
      }
      gc();
      return process.memoryUsage().heapUsed;
    };
    const before = await sleep(2_000);
    console.log(((await sleep(50_000)) - before) / 50_000);
    spell.end('closed');`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', '--input-type=module', '--eval', script]);
  assert.ok(Number(stdout) < 50, `${stdout.trim()} bytes a sleep`);
});
