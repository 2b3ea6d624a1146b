import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fixture, given, task } from '../isolation/given.js';

const cases = fixture('cases.mjs');
const act = (name: string, serverId = 'a', more = {}) => task({ act: name, ...more }, { serverId });

test('case 106: module state is shared between servers by default, as documented', async () => {
  const { isolation } = await given({ handler: cases });
  await isolation.run(act('remember', 'a')).outcome;
  const outcome = await isolation.run(act('remember', 'b')).outcome;
  assert.ok(outcome.type === 'returned');
  assert.deepEqual(outcome.value, { before: 'a' });
  await isolation.close('kill');
});

for (const scope of ['server', 'call'] as const) {
  test(`case 106: with scope '${scope}' no server sees the state of another`, async () => {
    const { isolation } = await given({ handler: cases, threads: { scope } });
    for (const [serverId, before] of [
      ['a', null],
      ['b', null],
      ['a', scope === 'server' ? 'a' : null],
    ] as const) {
      const outcome = await isolation.run(act('remember', serverId)).outcome;
      assert.ok(outcome.type === 'returned');
      assert.deepEqual(outcome.value, { before });
    }
    await isolation.close('kill');
  });
}

test('case 107: killing one callback lets its neighbours finish', async () => {
  const { isolation } = await given({ handler: cases });
  const neighbours = ['b', 'c', 'd'].map((serverId) => isolation.run(act('wait', serverId, { ms: 60 })));
  const victim = isolation.run(act('wait', 'a', { ms: 10_000 }));
  victim.kill('cancelled');
  assert.equal((await victim.outcome).type, 'killed');
  for (const { outcome } of neighbours) assert.equal((await outcome).type, 'returned');
  await isolation.close('kill');
});

test('case 116: whatever a callback prints comes as lines that name its server', async () => {
  const { isolation, output } = await given({ handler: cases });
  assert.equal((await isolation.run(act('print')).outcome).type, 'returned');
  while (output.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
  await isolation.close('kill');
  assert.deepEqual(
    output.map(({ stream, line }) => [stream, line]),
    [
      ['stdout', 'from console.log'],
      ['stderr', 'from console.error'],
      ['stdout', 'from process.stdout'],
      ['stderr', 'from process.stderr'],
      ['stdout', 'no line break'],
    ],
  );
  assert.ok(output.every(({ serverId }) => serverId === 'a'));
});

test('case 116: files are written as ever', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bulkhead-'));
  const { isolation } = await given({ handler: cases });
  const outcome = await isolation.run(act('files', 'a', { path: join(folder, 'x.txt') })).outcome;
  await isolation.close('kill');
  rmSync(folder, { recursive: true });
  assert.ok(outcome.type === 'returned', JSON.stringify(outcome));
  assert.deepEqual(outcome.value, { bytesWritten: 4, text: 'kept' });
});

test('case 118: a thread is no security boundary: a callback can start a process, and nothing here pretends otherwise', async () => {
  const { isolation } = await given({ handler: cases });
  const outcome = await isolation.run(act('child')).outcome;
  await isolation.close('kill');
  assert.ok(outcome.type === 'returned');
  assert.equal(outcome.value, 'from a child');
});

test('case 120: a .cjs module is loaded by require, which works inside an Electron archive', async () => {
  const { isolation } = await given({ handler: fixture('required.cjs') });
  const outcome = await isolation.run(task({})).outcome;
  await isolation.close('kill');
  assert.ok(outcome.type === 'returned');
  assert.deepEqual(outcome.value, { main: true, required: true });
});

test('case 124: a full pool, a closed pool and a lost worker are told apart from errors of the callback', async () => {
  const { isolation } = await given({ handler: fixture('hostile.mjs'), threads: { max: 2 } });
  const pending = isolation.run(task({ message: 'pending' }, { serverId: 'a' }));
  const busy = await isolation.run(task({ message: 'answer' }, { serverId: 'a' })).outcome;
  const lost = await isolation.run(task({ message: 'exitCode' }, { serverId: 'b' })).outcome;
  const closing = isolation.close('kill');
  const closed = await isolation.run(task({ message: 'answer' })).outcome;
  await closing;
  const reasons = [busy, lost, closed, await pending.outcome].map((outcome) => [
    outcome.type,
    'reason' in outcome ? outcome.reason : null,
  ]);
  assert.deepEqual(reasons, [
    ['busy', 'share'],
    ['crashed', 'exit'],
    ['closed', null],
    ['killed', 'closed'],
  ]);
});
