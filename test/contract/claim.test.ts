import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agreeToClaims, createClaim, takeClaim } from '../../src/contract/claim.js';

test('a task that was offered is taken once, and cannot be revoked after that', () => {
  const claim = createClaim();
  agreeToClaims(claim.word);
  claim.offer(1);
  assert.ok(takeClaim(claim.word, 1));
  assert.ok(!claim.revoke(1));
  assert.ok(!takeClaim(claim.word, 1));
});

test('a task that was revoked is never taken', () => {
  const claim = createClaim();
  agreeToClaims(claim.word);
  claim.offer(7);
  assert.ok(claim.revoke(7));
  assert.ok(!takeClaim(claim.word, 7));
});

test('an earlier task can neither be taken nor revoked in place of the present one', () => {
  const claim = createClaim();
  agreeToClaims(claim.word);
  claim.offer(1);
  claim.offer(2);
  assert.ok(!claim.revoke(1));
  assert.ok(!takeClaim(claim.word, 1));
  assert.ok(takeClaim(claim.word, 2));
});

test('of a runner that never agreed nothing can be revoked', () => {
  const claim = createClaim();
  claim.offer(1);
  assert.ok(!claim.revoke(1));
});

test('run numbers beyond 31 bits are claims like any other', () => {
  const claim = createClaim();
  agreeToClaims(claim.word);
  for (const run of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32, 2 ** 40]) {
    claim.offer(run);
    assert.ok(takeClaim(claim.word, run), `run ${run}`);
  }
});
