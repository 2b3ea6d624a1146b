import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createLine } from '../../src/notifications/line.js';

test('a line does what an array does, however it is used', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('push' as const), n: fc.integer({ min: 1, max: 400 }) }) },
    { weight: 5, arbitrary: fc.record({ do: fc.constant('leave' as const), n: fc.integer({ min: 1, max: 400 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('remove' as const), n: fc.nat(20) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cut' as const), n: fc.nat(600) }) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const line = createLine<number>();
      let model: number[] = [];
      let next = 0;
      for (const { do: what, n } of steps) {
        if (what === 'push') for (let i = 0; i < n; i++) line.push(next) === undefined && model.push(next++);
        if (what === 'leave') for (let i = 0; i < n && model.length > 0; i++) assert.equal(line.remove(0), model.shift());
        if (what === 'remove' && n < model.length) assert.equal(line.remove(n), model.splice(n, 1)[0]);
        if (what === 'cut') {
          line.cut(n);
          model = model.slice(0, n);
        }
        assert.equal(line.length, model.length);
        assert.deepEqual(line.slice(0, line.length), model);
        assert.deepEqual([line.at(0), line.at(3)], [model[0], model[3]]);
      }
    }),
    { numRuns: 200 },
  );
});
