import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { type Budget, createBudgetBuffer, openBudget } from '../../src/limits/bucket.js';

const rate = { perSecond: 10, burst: 20 };
const ms = 1_000_000n;

function opened({
  at = 1_000_000_000n,
  ...memory
}: {
  slots?: number;
  at?: bigint;
} = {}): Budget & { advance(by: bigint): void } {
  let now = at;
  const budget = openBudget(createBudgetBuffer(memory), () => now);
  return { ...budget, advance: (by) => (now += by) };
}

function taken(budget: Budget, key: string, attempts: number, at = rate): number {
  return Array.from({ length: attempts }, () => budget.take(key, at)).filter((said) => said === 'taken').length;
}

test('B31: twenty pass at once, the twenty-first is refused, ten a second drip back', () => {
  const budget = opened();
  assert.equal(taken(budget, 'files', 21), 20);
  assert.equal(budget.take('files', rate), 'refused');
  budget.advance(99n * ms);
  assert.equal(budget.take('files', rate), 'refused', 'a token takes a hundred milliseconds');
  budget.advance(1n * ms);
  assert.equal(taken(budget, 'files', 5), 1);
  budget.advance(1000n * ms);
  assert.equal(taken(budget, 'files', 50), 10);
  budget.advance(3_600_000n * ms);
  assert.equal(taken(budget, 'files', 50), 20, 'never more than the burst');
});

test('B31: every server id has a bucket of its own', () => {
  const budget = opened();
  assert.equal(taken(budget, 'a', 50), 20);
  assert.equal(taken(budget, 'b', 50), 20);
  for (const odd of ['', '__proto__', '0', '\u0000', 'ä'.repeat(10_000)]) assert.equal(taken(budget, odd, 50), 20);
});

test('case 69: of 10 000 requests in a burst 20 pass, and a second opening of the same memory shares the bucket', () => {
  const buffer = createBudgetBuffer();
  const [first, second] = [openBudget(buffer, () => 5n), openBudget(buffer, () => 5n)];
  let passed = 0;
  for (let request = 0; request < 10_000; request++) passed += (request % 2 ? first : second).take('s', rate) === 'taken' ? 1 : 0;
  assert.equal(passed, 20);
  assert.equal(first.take('other', rate), 'taken', 'the other server keeps its own');
});

test('B31: delay says to the millisecond when a take will succeed, and takes nothing', () => {
  const budget = opened();
  assert.equal(budget.delay('s', rate), 0, 'a key nobody has seen');
  taken(budget, 's', 20);
  assert.equal(budget.delay('s', rate), 100);
  budget.advance(30n * ms + 1n);
  assert.equal(budget.delay('s', rate), 70, 'rounded up');
  budget.advance(69n * ms);
  assert.equal(budget.take('s', rate), 'refused');
  budget.advance(1n * ms);
  assert.equal(budget.delay('s', rate), 0);
  assert.equal(budget.take('s', rate), 'taken');
});

test('B31: a full table refuses new keys and says so; known keys go on', () => {
  const budget = opened({ slots: 2 });
  assert.equal(budget.take('a', rate), 'taken');
  assert.equal(budget.take('b', rate), 'taken');
  for (let round = 0; round < 3; round++) assert.equal(budget.take('c', rate), 'full');
  assert.equal(budget.delay('c', rate), Number.POSITIVE_INFINITY);
  assert.equal(budget.take('a', rate), 'taken');
  assert.equal(taken(budget, 'b', 50), 19);
});

test('B31: every slot of a table can be claimed, whatever the hashes', () => {
  const budget = opened({ slots: 64 });
  const said = Array.from({ length: 100 }, (_, index) => budget.take(`server ${index}`, rate));
  assert.equal(said.filter((one) => one === 'taken').length, 64);
  assert.equal(said.filter((one) => one === 'full').length, 36);
});

test('B31: a clock that goes backwards gives no token twice, and the bucket goes on when it has caught up', () => {
  const budget = opened({ at: 10_000_000_000n });
  assert.equal(taken(budget, 's', 50), 20);
  budget.advance(-5000n * ms);
  assert.equal(taken(budget, 's', 50), 0);
  assert.equal(budget.delay('s', rate), 5100);
  budget.advance(5000n * ms);
  assert.equal(taken(budget, 's', 50), 0, 'back where it was, nothing has dripped');
  budget.advance(100n * ms);
  assert.equal(taken(budget, 's', 50), 1);
});

test('B31: two rates on one key never give more than the larger one alone', () => {
  const budget = opened();
  const small = { perSecond: 10, burst: 1 };
  assert.equal(taken(budget, 's', 100), 20);
  assert.equal(taken(budget, 's', 100, small), 0);
  assert.equal(taken(budget, 's', 100), 0, 'the smaller rate has returned nothing');
});

/** Lets something happen right after the next atomic load, where another thread could come in between. */
function meanwhile(t: TestContext, happen: () => void): void {
  const load = Atomics.load.bind(Atomics) as (words: BigInt64Array, index: number) => bigint;
  const mocked = t.mock.method(Atomics, 'load', ((words: BigInt64Array, index: number) => {
    const seen = load(words, index);
    mocked.mock.restore();
    happen();
    return seen;
  }) as typeof Atomics.load);
}

test('B31: a take that another thread came in between of goes round again, and both are counted', (t) => {
  const buffer = createBudgetBuffer();
  const [ours, theirs] = [openBudget(buffer, () => 5n), openBudget(buffer, () => 5n)];
  const two = { perSecond: 10, burst: 2 };
  ours.delay('s', two);
  theirs.take('other', two);
  assert.equal(ours.take('s', two), 'taken');
  meanwhile(t, () => assert.equal(theirs.take('s', two), 'taken'));
  assert.equal(ours.take('s', two), 'refused', 'the last token went to the other');
  assert.equal(theirs.take('s', two), 'refused');
});

test('B31: a free slot that another thread claims in between is theirs, or shared if the key is the same', (t) => {
  const one = { perSecond: 10, burst: 1 };
  const race = (theirKey: string): string[] => {
    const buffer = createBudgetBuffer({ slots: 1 });
    const [ours, theirs] = [openBudget(buffer, () => 5n), openBudget(buffer, () => 5n)];
    const said: string[] = [];
    meanwhile(t, () => said.push(theirs.take(theirKey, one)));
    said.push(ours.take('a', one));
    return said;
  };
  assert.deepEqual(race('b'), ['taken', 'full']);
  assert.deepEqual(race('a'), ['taken', 'refused']);
});

test('B31: property: no history of takes gets more than burst and drip allow, nor less when it waits long enough', () => {
  const step = fc.record({ wait: fc.integer({ min: 0, max: 400 }), attempts: fc.integer({ min: 1, max: 10 }) });
  fc.assert(
    fc.property(
      fc.array(step, { maxLength: 60 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 50 }),
      (steps, burst, perSecond) => {
        const budget = opened();
        let [total, waited] = [0, 0];
        for (const { wait, attempts } of steps) {
          budget.advance(BigInt(wait) * ms);
          waited += wait;
          total += taken(budget, 's', attempts, { perSecond, burst });
        }
        assert.ok(total <= burst + (waited * perSecond) / 1000 + 1e-9);
        budget.advance(BigInt(Math.ceil((burst * 1000) / perSecond) + 1) * ms);
        assert.equal(taken(budget, 's', burst + 5, { perSecond, burst }), burst);
      },
    ),
    { numRuns: 200 },
  );
});

test('the buffer and the rate are checked when they are given, with an error of kind options', () => {
  for (const slots of [0, -1, 1.5, 2 ** 20 + 1, Number.NaN, '8' as never])
    assert.throws(() => createBudgetBuffer({ slots }), {
      kind: 'options',
      message: /"createBudgetBuffer\.slots": expected .*, received /,
    });
  assert.throws(() => createBudgetBuffer({ slot: 4 } as never), {
    kind: 'options',
    message: /"createBudgetBuffer\.slot": there is no such/,
  });
  assert.throws(() => createBudgetBuffer(4 as never), {
    kind: 'options',
    message: /"createBudgetBuffer": expected an object of slots/,
  });
  for (const buffer of [
    new SharedArrayBuffer(0),
    new SharedArrayBuffer(1024),
    new SharedArrayBuffer(7),
    new ArrayBuffer(1024) as never,
    {} as never,
  ])
    assert.throws(() => openBudget(buffer), { kind: 'options', message: /"buffer": expected .*, received / });
  const budget = openBudget();
  for (const perSecond of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '10' as never])
    assert.throws(() => budget.take('s', { perSecond, burst: 1 }), {
      kind: 'options',
      message: /"perSecond": expected .*, received /,
    });
  for (const burst of [0, 1.5, 1e7, Number.NaN])
    assert.throws(() => budget.take('s', { perSecond: 1, burst }), {
      kind: 'options',
      message: /"burst": expected .*, received /,
    });
});

test('the extremes of the rate fit the memory', () => {
  const slow = { perSecond: 0.001, burst: 1_000_000 };
  const budget = opened({ at: 2n ** 60n });
  assert.equal(taken(budget, 's', 10, slow), 10);
  const once = { perSecond: 0.001, burst: 1 };
  assert.equal(taken(budget, 't', 10, once), 1);
  assert.equal(budget.delay('t', once), 1_000_000);
  assert.equal(taken(budget, 'u', 10, { perSecond: 1e6, burst: 3 }), 3);
});

test('the default clock is the system-wide monotonic one', () => {
  const budget = openBudget();
  assert.equal(budget.take('s', { perSecond: 0.001, burst: 1 }), 'taken');
  const wait = budget.delay('s', { perSecond: 0.001, burst: 1 });
  assert.ok(wait > 990_000 && wait <= 1_000_000);
});
