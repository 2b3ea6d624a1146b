/** Whatever happens in whatever order, the mailbox's promises hold: a seeded simulation over the fake consumer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createNotifications, type Mailbox } from '../../src/notifications/mailbox.js';
import { createManualClock } from '../../src/testing/index.js';
import { createFakeConsumer, type FakeConsumer } from './fake.js';

const connections = 3;
const maxWaiting = 5;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const act = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('push' as const), of: fc.nat(connections - 1), n: fc.integer({ min: 1, max: 90 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('change' as const),
      of: fc.nat(connections - 1),
      n: fc.integer({ min: 1, max: 3 }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constantFrom('begin' as const, 'finish' as const),
      of: fc.nat(connections - 1),
      n: fc.constant(1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('throw' as const, 'hand over' as const),
      of: fc.nat(connections - 1),
      n: fc.constant(1),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('die' as const, 'resume' as const, 'wait' as const),
      of: fc.constant(0),
      n: fc.constant(1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('close' as const), of: fc.nat(connections - 1), n: fc.constant(1) }) },
);

interface World {
  readonly consumer: FakeConsumer;
  readonly boxes: readonly Mailbox[];
  readonly clock: ReturnType<typeof createManualClock>;
  readonly dropped: number[];
  next: number;
  dead: boolean;
}

function open(): World {
  const clock = createManualClock();
  const consumer = createFakeConsumer({ dieOnKill: true });
  const dropped = Array.from({ length: connections }, () => 0);
  const room = createNotifications({ clock, consumer: async () => consumer, report: () => {} });
  const boxes = dropped.map((_, id) =>
    room.open({
      id,
      context: { client: 'host', serverId: `s${id}`, era: 'legacy' },
      limits: { maxWaiting, timeout: 1000 },
      busyTimeout: { notification: 0, log: 0 },
      killGrace: id === 0 ? 100 : 0,
      wants: () => true,
      onDropped({ count }) {
        dropped[id] = (dropped[id] ?? 0) + count;
      },
      onFault: () => {},
    }),
  );
  return { consumer, boxes, clock, dropped, next: 0, dead: false };
}

async function play(
  world: World,
  { type, of, n }: { readonly type: string; readonly of: number; readonly n: number },
): Promise<void> {
  const { consumer, boxes, clock } = world;
  const box = boxes[of] as Mailbox;
  const killed = consumer.kills.length;
  switch (type) {
    case 'push':
    case 'change':
      for (let k = 0; k < n; k++)
        box.notify(type === 'push' ? 'notifications/x' : 'notifications/tools/list_changed', { n: world.next++ });
      break;
    case 'begin':
      if (consumer.canBegin(of)) consumer.begin(of);
      break;
    case 'finish':
    case 'throw':
      if (consumer.runs(of)) consumer.finish(of, type === 'throw' ? { name: 'Error', message: 'no' } : undefined);
      break;
    case 'die':
      if (!world.dead && consumer.listening) consumer.die({ reason: 'exit', blamed: null });
      world.dead ||= consumer.listening;
      break;
    case 'resume':
      if (world.dead) consumer.resume();
      world.dead = false;
      break;
    case 'wait':
      clock.advance(1000);
      break;
    case 'close':
      box.close();
      break;
    default:
      await turn();
  }
  if (consumer.kills.length > killed) world.dead = true;
}

function check({ consumer, boxes, dropped }: World): void {
  for (const [id, box] of boxes.entries()) {
    const { pushed, running, waiting, delivered, failed, killed, dropped: counted } = box.stats();
    assert.equal(pushed, running + waiting + delivered + failed + killed + counted, 'nothing is lost from the counts');
    assert.ok(running <= 1 && waiting <= maxWaiting + 2, 'bounded');
    assert.ok((dropped[id] ?? 0) <= counted, 'no more is reported than was dropped');
    const begun = consumer.begun.filter(({ connectionId }) => connectionId === id);
    const numbers = begun.map(({ params }) => (params as { params: { n: number } }).params.n);
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].sort((a, b) => a - b),
      'in order, and none twice',
    );
    assert.equal(begun.length, delivered + failed + killed + running, 'what began is accounted for');
  }
}

test('B51: order, bounds, counts and at most once hold in 1 000 random lives', async () => {
  const life = fc.asyncProperty(fc.array(act, { minLength: 5, maxLength: 80 }), async (acts) => {
    const world = open();
    for (const each of acts) {
      await play(world, each);
      check(world);
    }
    if (world.dead) world.consumer.resume();
    await turn();
    await world.consumer.drain();
    check(world);
    for (const box of world.boxes)
      assert.deepEqual([box.stats().waiting, box.stats().running], [0, 0], 'everything is run in the end');
  });
  await fc.assert(life, { numRuns: 1000, seed: 20260728 });
});
