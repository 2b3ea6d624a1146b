import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Case, compare } from '../../src/cli/measure/compare.js';

const order: string[] = [];

function noted(name: string, answer: unknown = name): Case {
  return {
    name,
    open: () => ({
      call: () => {
        order.push(name);
        return answer;
      },
      close: () => void order.push(`close ${name}`),
    }),
    check: (said) => said === name,
  };
}

test('rounds are interleaved and begin with another case each time', async () => {
  order.length = 0;
  const { figures } = await compare({
    ...{ name: 'order', baseline: 'a', rounds: 3, samples: 1, warmup: 0 },
    cases: [noted('a'), noted('b'), noted('c')],
  });
  assert.deepEqual(order, [...'abcbcacab', 'close a', 'close b', 'close c']);
  assert.deepEqual(
    figures.map(({ calls, name, ratio }) => [name, calls, ratio?.samples]),
    [
      ['a', 3, undefined],
      ['b', 3, 3],
      ['c', 3, 3],
    ],
  );
});

test('warm-up calls are made and not counted', async () => {
  order.length = 0;
  const { figures } = await compare({
    ...{ name: 'warm', baseline: 'a', rounds: 2, samples: 5, warmup: 3 },
    cases: [noted('a')],
  });
  assert.equal(figures[0]?.calls, 10);
  assert.equal(order.filter((name) => name === 'a').length, 16);
});

test('a wrong answer fails the comparison, and what was opened is closed', async () => {
  order.length = 0;
  const cases = [noted('a'), noted('b', 'nothing done')];
  await assert.rejects(compare({ name: 'lazy', baseline: 'a', rounds: 1, samples: 1, cases }), /b: the work was not done/);
  assert.ok(order.includes('close a') && order.includes('close b'));
});

test('lanes keep that many calls in flight', async () => {
  let inFlight = 0;
  let most = 0;
  const call = async (): Promise<boolean> => {
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setImmediate(resolve));
    inFlight--;
    return true;
  };
  const cases: Case[] = [{ name: 'a', open: () => ({ call }), check: (said) => said === true }];
  await compare({ name: 'lanes', baseline: 'a', rounds: 1, samples: 40, lanes: 8, cases });
  assert.equal(most, 8);
});

test('short synchronous work is repeated within one sample, and a promise there is an error', async () => {
  let calls = 0;
  const count: Case = { name: 'a', open: () => ({ call: () => ++calls }), check: (said) => said === calls };
  const { figures } = await compare({
    ...{ name: 'repeat', baseline: 'a', rounds: 1, samples: 10, warmup: 0, repeat: 100 },
    cases: [count],
  });
  assert.equal(calls, 1000);
  assert.equal(figures[0]?.calls, 1000);
  const late: Case = { name: 'late', open: () => ({ call: async () => 1 }), check: () => true };
  await assert.rejects(
    compare({ name: 'x', baseline: 'late', rounds: 1, samples: 1, repeat: 2, cases: [late] }),
    /only synchronous/,
  );
});
