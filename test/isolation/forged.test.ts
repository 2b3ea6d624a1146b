import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bare, of, openStand } from './fake.js';

test('B18: a cell that dies takes its callback with it and no other', async () => {
  const { dispatcher, running } = await openStand();
  const dies = dispatcher.run(of('a'));
  const lives = dispatcher.run(of('b'));
  const fault = { name: 'ExitError', message: 'code 3' };
  const cell = running('a');
  cell.events.died({ reason: 'exit', fault });
  cell.events.gone();
  assert.deepEqual(bare(await dies.outcome), { type: 'crashed', reason: 'exit', fault });
  running('b').returns(2);
  assert.equal((await lives.outcome).type, 'returned');
});

test('a forged message ends the cell and kills its callback as a flood', async () => {
  for (const forge of ['message', 'violated'] as const) {
    const { dispatcher, running } = await openStand();
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    if (forge === 'message') cell.events.message({ type: 'returned', json: '1' });
    else cell.events.violated();
    assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'flood' });
    assert.ok(cell.killed);
  }
});

const forgedReplies = [
  undefined,
  null,
  'yes',
  { type: 'returned', json: '{' },
  { type: 'loaded' },
  { type: 'refused', json: '{"code":"x"}' },
];
test('a reply that is none ends the cell', async () => {
  for (const forged of forgedReplies) {
    const { dispatcher, running } = await openStand();
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    cell.reply(forged);
    assert.equal((await run.outcome).type, 'killed', JSON.stringify(forged));
    assert.ok(cell.killed);
  }
});

test('more lines than the runner lets pass are a flood', async () => {
  const { dispatcher, running, output } = await openStand();
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  for (let line = 0; line < 102; line++) {
    cell.events.message({ type: 'output', run: cell.call.run, stream: 'stdout', line: `${line}` });
  }
  assert.equal(output.length, 101);
  assert.deepEqual(output[0], { serverId: 'a', stream: 'stdout', line: '0' });
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'flood' });
});

const fault = { name: 'Error', message: 'x' };
const idle = [
  { type: 'stray', run: null, fault },
  { type: 'output', run: null, stream: 'stdout', line: 'x' },
  { type: 'output', run: 99, stream: 'stdout', line: 'x' },
  { type: 'call', run: 99, call: 1, name: 'none', json: '1' },
  { type: 'drop', run: 99, call: 1 },
  { type: 'drop', run: 1, call: 1 },
  { type: 'fell', run: 99, fault },
];
for (const message of idle) {
  test(`what belongs to nothing that runs is heard now and then, and is a flood without end: ${JSON.stringify(message)}`, async () => {
    const { dispatcher, running } = await openStand();
    const run = dispatcher.run(of('a'));
    const cell = running('a');
    for (let count = 0; count < 2000; count++) cell.events.message(message);
    assert.ok(!cell.killed);
    cell.returns(1);
    assert.equal((await run.outcome).type, 'returned');
    const next = dispatcher.run(of('a'));
    const again = running('a');
    for (let count = 0; count < 2001; count++) again.events.message(message);
    assert.deepEqual(bare(await next.outcome), { type: 'killed', reason: 'flood' });
  });
}

test('more host calls at once than the runner lets pass are a flood, and the signals of all of them fire', async () => {
  const signals: AbortSignal[] = [];
  const services = {
    wait: (_: unknown, { signal }: { signal: AbortSignal }) => {
      signals.push(signal);
      return new Promise(() => {});
    },
  };
  const { dispatcher, running } = await openStand({ services });
  const run = dispatcher.run(of('a'));
  const cell = running('a');
  for (let call = 0; call < 65; call++) {
    cell.events.message({ type: 'call', run: cell.call.run, call, name: 'wait', json: undefined });
  }
  assert.deepEqual(bare(await run.outcome), { type: 'killed', reason: 'flood' });
  assert.equal(signals.length, 64);
  assert.ok(signals.every(({ aborted }) => aborted));
});

test('a host call that nobody registered, of another run, or with broken JSON', async () => {
  const seen: unknown[] = [];
  const { dispatcher, running } = await openStand({ services: { echo: (data) => void seen.push(data) } });
  const first = dispatcher.run(of('a'));
  const cell = running('a');
  cell.events.message({ type: 'call', run: cell.call.run + 5, call: 1, name: 'echo', json: '1' });
  assert.ok(!cell.killed, 'a late call of a callback that has ended is ignored');
  cell.events.message({ type: 'call', run: cell.call.run, call: 1, name: 'toString', json: '1' });
  assert.equal((await first.outcome).type, 'killed');
  assert.deepEqual(seen, []);
});
