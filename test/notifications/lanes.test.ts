import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLanes } from '../../src/contract/lanes.js';
import { type CallTask, endedWell, type FromLanes, type LaneItem, type Reply } from '../../src/contract/messages.js';

const context = { client: 'host', serverId: 'a', era: 'legacy' } as const;
const fine: Reply = { type: 'returned', json: undefined, state: undefined };
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function setUp(perform: (task: CallTask) => Promise<Reply> | undefined = async () => fine, now: () => number = () => 0) {
  const said: FromLanes[] = [];
  const performed: CallTask[] = [];
  const waiting = new Map<number, (reply: Reply) => void>();
  const lanes = createLanes(
    (task) => {
      performed.push(task);
      return perform(task) ?? new Promise((resolve) => waiting.set(task.run, resolve));
    },
    (message) => said.push(message),
    now,
  );
  const known = new Set<number>();
  const give = (...items: [sequence: number, connection: number][]): void => {
    const fresh = [...new Set(items.map(([, connection]) => connection))].filter((id) => !known.has(id));
    for (const id of fresh) known.add(id);
    const laid: LaneItem[] = items.map(([sequence, connection]) => ({ sequence, connection, kind: 'log', params: sequence }));
    lanes.receive({ type: 'items', items: laid, contexts: fresh.map((id) => [id, context]) });
  };
  const end = async (run: number, reply: Reply = fine): Promise<void> => {
    waiting.get(run)?.(reply);
    await turn();
  };
  return { lanes, said, performed, give, end };
}

const never = (): undefined => undefined;

test('B51: a beginning is said before the callback runs, an end where nothing follows', async () => {
  const { said, give, performed } = setUp();
  give([0, 1], [1, 1], [2, 1]);
  assert.deepEqual([said, performed.length], [[0], 1]);
  await turn();
  assert.deepEqual(said, [0, 1, 2, endedWell(2)]);
  assert.deepEqual(
    performed.map(({ params, context: { serverId }, state }) => [params, serverId, state]),
    [0, 1, 2].map((n) => [n, 'a', undefined]),
  );
});

test('B51, case 94: one at a time per connection, connections beside each other', async () => {
  const { said, give, end } = setUp(never);
  give([0, 1], [1, 1], [2, 2], [3, 2]);
  assert.deepEqual(said, [0, 2]);
  await end(2);
  await end(3);
  assert.deepEqual(said, [0, 2, 3, endedWell(3)]);
  await end(0);
  assert.deepEqual(said.at(-1), 1);
});

test('B51: what a callback throws is said, what it returns is not; a refusal is a fault', async () => {
  const fault = { name: 'Error', message: 'no' };
  const replies: Reply[] = [
    { type: 'crashed', reason: 'threw', fault },
    { type: 'crashed', reason: 'result', fault },
    { type: 'crashed', reason: 'size', fault },
    { type: 'refused', json: '{}' },
    fine,
  ];
  const { said, give } = setUp(async ({ run }) => replies[run] as Reply);
  give([0, 1], [1, 1], [2, 1], [3, 1], [4, 1]);
  await turn();
  const refusal = { name: 'Refusal', message: 'a notification cannot be refused' };
  assert.deepEqual(said, [
    0,
    { type: 'fault', run: 0, fault },
    1,
    2,
    3,
    { type: 'fault', run: 3, fault: refusal },
    4,
    endedWell(4),
  ]);
});

test('B51: connections that compute take turns', async () => {
  let time = 0;
  const compute = async (): Promise<Reply> => {
    time += 5;
    return fine;
  };
  const { performed, said, give } = setUp(compute, () => time);
  give([0, 1], [1, 1], [2, 2], [3, 2]);
  for (let n = 0; n < 8; n++) await turn();
  assert.deepEqual(
    performed.map(({ run }) => run),
    [0, 2, 1, 3],
  );
  assert.deepEqual(said, [0, 2, endedWell(0), endedWell(2), 1, endedWell(1), 3, endedWell(3)]);
});

test('B20: a forgotten connection begins nothing more, and says so after what it had announced', async () => {
  const { lanes, said, give, end } = setUp(never);
  give([0, 1], [1, 1], [2, 2]);
  assert.equal(lanes.receive({ type: 'forget', connection: 1 }), 0);
  assert.deepEqual(said, [0, 2, { type: 'forgot', connection: 1 }]);
  await end(0);
  assert.deepEqual(said.at(-1), endedWell(0));
  assert.equal(lanes.receive({ type: 'forget', connection: 9 }), undefined);
});

test('a runner that is to stop ends what runs and begins nothing', async () => {
  const { lanes, said, give, end } = setUp(never);
  give([0, 1], [1, 1], [2, 2]);
  lanes.receive({ type: 'stop' });
  give([3, 3]);
  await end(0);
  await end(2);
  assert.deepEqual(said, [0, 2, endedWell(0), endedWell(2), { type: 'stopped' }]);
  const idle = setUp();
  idle.lanes.receive({ type: 'stop' });
  assert.deepEqual(idle.said, [{ type: 'stopped' }]);
});
