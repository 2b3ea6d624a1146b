/** The mailbox on a real consumer: one suite over the tiers that exist, and what only a thread can show. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { systemClock } from '../../src/clock.js';
import { createIsolation, type IsolationSettings } from '../../src/isolation/create.js';
import {
  createNotifications,
  type Mailbox,
  type MailboxFault,
  type MailboxSettings,
  type NotificationsEvent,
} from '../../src/notifications/mailbox.js';
import { resolveThreads, type ThreadOptions } from '../../src/threads.js';

interface Note {
  readonly serverId: string;
  readonly method?: string;
  readonly n?: number;
  readonly log?: unknown;
  readonly aborted?: string;
}

const handler = new URL('../../../test/fixtures/notified.cjs', import.meta.url);

const plugin: NonNullable<IsolationSettings['plugin']> = {
  program: {
    name: 'notified',
    source: readFileSync(handler, 'utf8'),
    permissions: { console: {}, timers: {}, services: { note: {}, hold: {} } },
    callbacks: ['handleNotification', 'handleLog'],
    maxResultBytes: 2 ** 20,
  },
  maxMemoryMb: 128,
};
const isPlugin = (tier: IsolationSettings['tier']): boolean => tier === 'compartment' || tier === 'process';

async function setUp(tier: IsolationSettings['tier'], threads: ThreadOptions = {}) {
  const notes: Note[] = [];
  const held = new Map<string, () => void>();
  const lines: string[] = [];
  const strays: string[] = [];
  const reports: NotificationsEvent[] = [];
  const faults: MailboxFault[] = [];
  let noticed = () => {};
  const notice = (): void => noticed();
  const isolation = await createIsolation({
    tier,
    ...(isPlugin(tier) ? { handler: undefined, plugin } : { handler: handler.href }),
    threads: resolveThreads(threads),
    services: {
      note(data) {
        notes.push(data as Note);
        notice();
      },
      hold(data) {
        const { serverId, n } = data as Note;
        notice();
        return new Promise<void>((resolve) => held.set(`${serverId} ${n}`, resolve));
      },
    },
    events: {
      stray: ({ serverId, fault }) => strays.push(`${serverId}: ${fault.message}`) && notice(),
      output: ({ serverId, line }) => lines.push(`${serverId}: ${line}`) && notice(),
      undead: () => {},
    },
    clock: systemClock,
  });
  const room = createNotifications({
    consumer: () => isolation.consumer(),
    clock: systemClock,
    report: (event) => reports.push(event) && notice(),
  });
  const open = (id: number, overrides: Partial<MailboxSettings> = {}): Mailbox =>
    room.open({
      id,
      context: { client: 'host', serverId: `s${id}`, era: 'legacy' },
      limits: { maxWaiting: 1000, timeout: 60_000 },
      busyTimeout: { notification: 10_000, log: 10_000 },
      killGrace: 0,
      wants: () => true,
      onDropped: () => {},
      onFault: (fault) => faults.push(fault) && notice(),
      ...overrides,
    });
  /** Waits for events, never for time. */
  const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) {
      await new Promise<void>((resolve) => {
        noticed = resolve;
        setTimeout(resolve, 20);
      });
    }
  };
  const release = (key: string): void => held.get(key)?.();
  const close = async (): Promise<void> => {
    await room.close();
    await isolation.close('kill');
  };
  return { isolation, open, until, release, held, notes, lines, strays, reports, faults, close };
}

const noted = (notes: readonly Note[], serverId: string): unknown[] =>
  notes.filter((note) => note.serverId === serverId).map(({ n }) => n);
const settled = (mailbox: Mailbox): boolean => mailbox.stats().waiting === 0 && mailbox.stats().running === 0;

for (const tier of ['inline', 'thread'] as const) {
  test(`B51, ${tier}: order is kept, logs and notifications get what is theirs`, async () => {
    const { open, until, notes, close } = await setUp(tier);
    const mailbox = open(1);
    for (let n = 0; n < 300; n++) mailbox.notify('notifications/x', { n });
    mailbox.log({ level: 'error', data: ['x'] });
    await until(() => settled(mailbox));
    assert.deepEqual(
      notes.slice(0, 300).map(({ n }) => n),
      Array.from({ length: 300 }, (_, n) => n),
    );
    assert.deepEqual(notes[300], { serverId: 's1', log: { level: 'error', data: ['x'] } });
    assert.deepEqual(mailbox.stats().delivered, 301);
    await close();
  });

  test(`B51, case 94, ${tier}: a slow asynchronous callback holds up its own connection and no other`, async () => {
    const { open, until, release, held, notes, close } = await setUp(tier);
    const [slow, quick] = [open(1), open(2)];
    slow.notify('notifications/hold', { n: 0 });
    slow.notify('notifications/x', { n: 1 });
    for (let n = 0; n < 100; n++) quick.notify('notifications/x', { n });
    await until(() => quick.stats().delivered === 100 && held.has('s1 0'));
    assert.deepEqual(noted(notes, 's1'), [0]);
    release('s1 0');
    await until(() => settled(slow));
    assert.deepEqual(noted(notes, 's1'), [0, 1]);
    await close();
  });

  test(`B51, ${tier}: a throw is reported with its message and skipped`, async () => {
    const { open, until, faults, close } = await setUp(tier);
    const mailbox = open(1);
    mailbox.notify('notifications/throw', {});
    mailbox.notify('notifications/x', {});
    await until(() => settled(mailbox));
    assert.deepEqual(
      faults.map(({ method, reason, fault }) => [method, reason, fault.name, fault.message]),
      [['notifications/throw', 'threw', 'TypeError', 'no']],
    );
    assert.deepEqual([mailbox.stats().delivered, mailbox.stats().failed], [1, 1]);
    await close();
  });

  test(`B51, ${tier}: one that never ends is killed at its time-out and the next goes on`, async () => {
    const { open, until, notes, faults, close } = await setUp(tier);
    const mailbox = open(1, { limits: { maxWaiting: 1000, timeout: 500 } });
    mailbox.notify('notifications/never', { n: 0 });
    mailbox.notify('notifications/x', { n: 1 });
    await until(() => settled(mailbox));
    assert.deepEqual(noted(notes, 's1'), [0, 1]);
    assert.deepEqual(
      faults.map(({ reason }) => reason),
      ['timeout'],
    );
    assert.deepEqual([mailbox.stats().delivered, mailbox.stats().killed], [1, 1]);
    await close();
  });

  test(`B51, ${tier}: with a grace the signal fires, and who heeds it keeps the worker alive`, async () => {
    const { open, until, notes, faults, reports, close } = await setUp(tier);
    const mailbox = open(1, { limits: { maxWaiting: 1000, timeout: 500 }, killGrace: 10_000 });
    mailbox.notify('notifications/abide', { n: 0 });
    mailbox.notify('notifications/x', { n: 1 });
    await until(() => settled(mailbox));
    assert.deepEqual(
      notes.map(({ n, aborted }) => aborted ?? n),
      [0, 'timeout', 1],
    );
    assert.deepEqual([faults[0]?.reason, reports.length], ['timeout', 0]);
    await close();
  });

  test(`B20, ${tier}: a closed connection begins nothing more, and its neighbour does not notice`, async () => {
    const { open, until, release, held, notes, reports, close } = await setUp(tier);
    const [one, two] = [open(1), open(2)];
    two.notify('notifications/hold', { n: 0 });
    one.notify('notifications/hold', { n: 0 });
    for (let n = 1; n < 20; n++) one.notify('notifications/x', { n });
    await until(() => held.has('s1 0') && held.has('s2 0'));
    one.close();
    two.notify('notifications/x', { n: 1 });
    release('s2 0');
    await until(() => settled(two));
    release('s1 0');
    two.notify('notifications/x', { n: 2 });
    await until(() => settled(two) && settled(one));
    assert.deepEqual([noted(notes, 's1'), noted(notes, 's2')], [[0], [0, 1, 2]]);
    assert.deepEqual([one.stats().dropped, reports], [19, []]);
    await close();
  });

  test(`${tier}: a module loaded anew takes over when what runs has ended, and nothing is lost or doubled`, async () => {
    const { isolation, open, until, release, held, notes, faults, reports, close } = await setUp(tier);
    const mailbox = open(1);
    mailbox.notify('notifications/hold', { n: 0 });
    for (let n = 1; n < 50; n++) mailbox.notify('notifications/x', { n });
    await until(() => held.has('s1 0'));
    await isolation.reload();
    release('s1 0');
    await until(() => settled(mailbox));
    assert.deepEqual(
      noted(notes, 's1'),
      Array.from({ length: 50 }, (_, n) => n),
    );
    assert.deepEqual([faults, reports, mailbox.stats().delivered], [[], [], 50]);
    await close();
  });
}

for (const tier of ['compartment', 'process'] as const) {
  test(`B51, ${tier}: a plugin's notifications keep their order, throw, time out and are loaded anew alike`, async () => {
    const { isolation, open, until, release, held, notes, faults, reports, close } = await setUp(tier);
    const [one, two] = [open(1, { limits: { maxWaiting: 1000, timeout: 1000 } }), open(2)];
    two.notify('notifications/hold', { n: 0 });
    for (let n = 0; n < 100; n++) one.notify(n === 50 ? 'notifications/throw' : 'notifications/x', { n });
    await until(() => settled(one) && held.has('s2 0'));
    release('s2 0');
    await isolation.reload();
    two.notify('notifications/x', { n: 1 });
    await until(() => settled(two));
    assert.deepEqual(reports, []);
    one.notify('notifications/never', { n: 100 });
    one.notify('notifications/x', { n: 101 });
    await until(() => settled(one));
    assert.deepEqual([noted(notes, 's1'), noted(notes, 's2')], [Array.from({ length: 102 }, (_, n) => n), [0, 1]]);
    assert.deepEqual(
      faults.map(({ reason, fault: { message } }) => [reason, message]),
      [
        ['threw', 'no'],
        ['timeout', 'the callback was killed (timeout)'],
      ],
    );
    await close();
  });
}

for (const tier of ['thread', 'process'] as const) {
  test(`B16, B51, ${tier}: one that blocks the thread is killed by its busy time-out, the others wait and are not lost`, async () => {
    const { open, until, notes, faults, reports, close } = await setUp(tier);
    const [spinner, other] = [open(1, { busyTimeout: { notification: 700, log: 700 } }), open(2)];
    spinner.notify('notifications/spin', { n: 0 });
    await until(() => spinner.stats().running === 1 && notes.length === 1);
    spinner.notify('notifications/x', { n: 1 });
    for (let n = 0; n < 10; n++) other.notify('notifications/x', { n });
    await until(() => settled(spinner) && settled(other));
    assert.deepEqual(
      faults.map(({ reason }) => reason),
      ['busy'],
    );
    assert.deepEqual([noted(notes, 's1'), other.stats().delivered], [[0, 1], 10]);
    assert.deepEqual(reports[0], { type: 'consumer died', reason: 'busy' });
    await close();
  });
}

test('B51: on an exit what runs is lost once, what waits runs in order, and nothing runs twice', async () => {
  const { open, until, notes, faults, close } = await setUp('thread');
  const [one, two] = [open(1), open(2)];
  for (let n = 0; n < 200; n++) {
    one.notify(n % 50 === 20 ? 'notifications/exit' : 'notifications/x', { n });
    two.notify('notifications/x', { n });
  }
  await until(() => settled(one) && settled(two));
  for (const [mailbox, serverId] of [
    [one, 's1'],
    [two, 's2'],
  ] as const) {
    const begun = noted(notes, serverId) as number[];
    assert.deepEqual(
      [...begun].sort((a, b) => a - b),
      begun,
      'in order, and so none twice',
    );
    assert.equal(new Set(begun).size, begun.length);
    const { delivered, killed, pushed } = mailbox.stats();
    assert.deepEqual([pushed, delivered + killed], [200, 200]);
    assert.ok(begun.length >= delivered, 'whatever was delivered had begun');
  }
  assert.equal(faults.filter(({ reason, method }) => reason === 'exit' && method === 'notifications/exit').length, 4);
  await close();
});

test('B51: a worker that exits between callbacks that wait for nothing is heard to its last word', async () => {
  const { open, until, lines, faults, close } = await setUp('thread');
  const mailbox = open(1);
  for (let n = 0; n < 200; n++) mailbox.notify(n % 60 === 50 ? 'notifications/quit' : 'notifications/quick', { n });
  await until(() => settled(mailbox));
  assert.deepEqual(
    lines,
    Array.from({ length: 200 }, (_, n) => n).flatMap((n) => (n % 60 === 50 ? [] : [`s1: ${n}`])),
  );
  assert.deepEqual([mailbox.stats().delivered, mailbox.stats().killed, faults.length], [197, 3, 3]);
  await close();
});

test('one whose memory grows beyond the budget is killed, and the next goes on', async () => {
  const { open, until, notes, faults, close } = await setUp('thread', { memoryBudget: 96 * 2 ** 20 });
  const mailbox = open(1);
  mailbox.notify('notifications/grow', { n: 0 });
  mailbox.notify('notifications/x', { n: 1 });
  await until(() => settled(mailbox));
  assert.deepEqual([noted(notes, 's1'), faults.map(({ reason }) => reason)], [[0, 1], ['memory']]);
  await close();
});

test('a failure outside its promise ends the item, not its neighbours', async () => {
  const { open, until, release, held, faults, reports, close } = await setUp('thread');
  const [falling, other] = [open(1), open(2)];
  other.notify('notifications/hold', { n: 0 });
  await until(() => held.has('s2 0'));
  falling.notify('notifications/fall', { n: 0 });
  falling.notify('notifications/x', { n: 1 });
  await until(() => settled(falling));
  release('s2 0');
  await until(() => settled(other));
  assert.deepEqual(
    faults.map(({ reason, fault }) => [reason, fault.message]),
    [['threw', 'fell']],
  );
  assert.deepEqual([falling.stats().delivered, other.stats().delivered, reports], [1, 1, []]);
  await close();
});

test('case 105: what a finished callback leaves behind is a stray of its own server, and its worker is replaced', async () => {
  const { open, until, strays, notes, faults, close } = await setUp('thread');
  const mailbox = open(1);
  mailbox.notify('notifications/late', { n: 0 });
  await until(() => strays.length > 0);
  mailbox.notify('notifications/x', { n: 1 });
  await until(() => settled(mailbox));
  assert.deepEqual([strays, noted(notes, 's1'), faults], [['s1: late'], [0, 1], []]);
  await close();
});

test('case 116: what a notification callback prints comes as lines of its server', async () => {
  const { open, until, lines, close } = await setUp('thread');
  const [one, two] = [open(1), open(2)];
  one.notify('notifications/print', { n: 1 });
  two.notify('notifications/print', { n: 2 });
  await until(() => lines.length === 2);
  assert.deepEqual(lines.sort(), ['s1: printed 1', 's2: printed 2']);
  await close();
});

test('B51: a million pushed while a real callback blocks its thread: exact counts, order kept, one report', async () => {
  const drops: number[] = [];
  const { open, until, notes, faults, close } = await setUp('thread');
  const mailbox = open(1, {
    busyTimeout: { notification: 700, log: 700 },
    onDropped: ({ count }) => drops.push(count),
  });
  mailbox.notify('notifications/spin', { n: 0 });
  await until(() => notes.length === 1);
  for (let n = 1; n <= 1_000_000; n++) mailbox.notify('notifications/x', { n });
  await until(() => settled(mailbox));
  const { pushed, delivered, killed, dropped } = mailbox.stats();
  assert.deepEqual([pushed, delivered, killed, dropped], [1_000_001, 1000, 1, 999_000]);
  assert.deepEqual(
    noted(notes, 's1'),
    Array.from({ length: 1001 }, (_, n) => n),
  );
  assert.equal(faults[0]?.reason, 'busy');
  mailbox.close();
  assert.deepEqual(drops, [999_000]);
  await close();
});
