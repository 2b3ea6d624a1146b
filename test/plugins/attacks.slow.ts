/** Every attempt in every tier, each in a host process of its own. Minutes: part of `npm run verify`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attemptAll } from './attacks/attempt.js';
import { escapes } from './attacks/escapes.js';
import { resources } from './attacks/resources.js';
import { classOf } from './attacks/table.js';

const names = (found: readonly { readonly attack: string }[]): string[] => found.map(({ attack }) => attack);

test('the suites are as large as they claim, each attempt by a name of its own', () => {
  assert.ok(escapes.length >= 60 && resources.length >= 30);
  assert.equal(new Set([...escapes, ...resources].map(({ name }) => name)).size, escapes.length + resources.length);
});

test('positive controls: in a plain thread each attempt gets out, but for those marked as having no control', async () => {
  const findings = await attemptAll('thread', escapes);
  assert.deepEqual(
    names(findings.filter(({ verdict }) => verdict === 'stopped')),
    escapes.filter(({ control }) => !control).map(({ name }) => name),
  );
});

for (const tier of ['compartment', 'process'] as const) {
  test(`no way out of the ${tier} tier: every attempt is stopped, and the next callback is answered`, async () => {
    assert.deepEqual(names((await attemptAll(tier, escapes)).filter(({ verdict }) => verdict !== 'stopped')), []);
  });
}

test('in the process tier the host survives every attempt on its resources, and the next callback is answered', async () => {
  const findings = await attemptAll('process', resources, 1);
  assert.deepEqual(names(findings.filter((finding) => classOf(finding) === 'not promised')), []);
});

test('in the thread and compartment tiers resources are not promised; what does not survive is memory and native code', async () => {
  const memory = resources.filter(({ deadline }) => deadline === 5000).map(({ name }) => name);
  for (const tier of ['thread', 'compartment'] as const) {
    const lost = names((await attemptAll(tier, resources, 1)).filter((finding) => classOf(finding) === 'not promised'));
    console.log(`# ${tier}: not promised: ${lost.join('; ') || 'nothing'}`);
    if (tier === 'compartment')
      assert.deepEqual(
        lost.filter((name) => !memory.includes(name)),
        [],
      );
  }
});
