/** A sample of the suites in `attacks/`; `npm run verify` makes every attempt in every tier. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Attack } from './attacks/attack.js';
import { attempt } from './attacks/attempt.js';
import { escapes } from './attacks/escapes.js';
import { resources } from './attacks/resources.js';
import { classOf } from './attacks/table.js';

const named = (attacks: readonly Attack[], name: string): Attack => {
  const attack = attacks.find((candidate) => candidate.name === name);
  assert.ok(attack, name);
  return attack;
};

for (const name of [
  'import() made by indirect eval',
  'a stack that runs out inside a host function',
  'another Map.prototype.get',
]) {
  test(`${name}: gets out of a thread, and of no tier for plugins`, async () => {
    const attack = named(escapes, name);
    assert.equal((await attempt('thread', attack)).verdict, 'escaped');
    assert.equal((await attempt('compartment', attack)).verdict, 'stopped');
    assert.equal((await attempt('process', attack)).verdict, 'stopped');
  });
}

test('a signal to the host: ends it from a thread, and is not there in any tier for plugins', async () => {
  const attack = named(escapes, 'a signal to the host');
  assert.equal((await attempt('thread', attack)).verdict, 'host died');
  assert.equal((await attempt('compartment', attack)).verdict, 'stopped');
  assert.equal((await attempt('process', attack)).verdict, 'stopped');
});

for (const name of ['a string split into characters', 'a loop around JSON.parse']) {
  test(`${name}: contained in the process tier, the next callback is answered`, async () => {
    const finding = await attempt('process', named(resources, name));
    assert.equal(classOf(finding), 'contained', JSON.stringify(finding));
  });
}
