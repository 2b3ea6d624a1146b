import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeModule, isDescription } from '../../src/contract/describe.js';

const callback = () => {};

test('B1: what a module exports is what it is described as', () => {
  const described = describeModule({ handleSampling: callback, listRoots: callback, handleLog: callback, other: 1 });
  assert.ok(described.ok);
  assert.deepEqual(described.description, { callbacks: ['sampling', 'roots', 'log'], elicitationModes: ['form'] });
});

test('B1: a module without any of the names has no callbacks', () => {
  for (const namespace of [{}, null, undefined, 7, { default: undefined }]) {
    const described = describeModule(namespace);
    assert.ok(described.ok);
    assert.deepEqual(described.description.callbacks, []);
  }
});

test('B2: modes are kept as given; form alone is the default', () => {
  const described = describeModule({ handleElicitation: callback, elicitationModes: ['url'] });
  assert.ok(described.ok);
  assert.deepEqual(described.description.elicitationModes, ['url']);
});

const wrong: readonly [name: string, namespace: object, reason: RegExp][] = [
  ['no modes', { elicitationModes: [] }, /"elicitationModes" is empty/],
  ['an unknown mode', { elicitationModes: ['form', 'voice'] }, /other than "form" and "url"/],
  ['a mode twice', { elicitationModes: ['url', 'url'] }, /twice/],
  ['modes that are no array', { elicitationModes: 'form' }, /an array/],
  ['a callback that is an object', { handleSampling: {} }, /"handleSampling" should be a function, but is a object/],
  ['a callback that is null', { listRoots: null }, /"listRoots" should be a function, but is null/],
];

for (const [name, namespace, reason] of wrong) {
  test(`B2: ${name} cannot be loaded, and the reason says which export`, () => {
    const described = describeModule(namespace);
    assert.ok(!described.ok);
    assert.match(described.reason, reason);
  });
}

test('a CommonJS module whose names Node did not see is read through its default export', () => {
  const described = describeModule({ default: { handleElicitation: callback } });
  assert.ok(described.ok);
  assert.deepEqual(described.description.callbacks, ['elicitation']);
});

test('methods of a default export keep their `this`; a named export has none', () => {
  class Desk {
    kept = 'desk';
    handleElicitation() {
      return this?.kept;
    }
  }
  const desk = new Desk();
  const { handleElicitation } = desk;
  for (const [namespace, kept] of [
    [{ default: desk }, 'desk'],
    [{ handleElicitation, default: desk }, 'desk'],
    [{ handleElicitation }, undefined],
  ] as const) {
    const described = describeModule(namespace);
    assert.ok(described.ok);
    const { handleElicitation: called } = described.module;
    assert.equal(called?.({} as never, {} as never), kept);
  }
});

test('a description that crossed a boundary is checked like everything else', () => {
  assert.ok(isDescription({ callbacks: ['sampling'], elicitationModes: ['form'] }));
  for (const forged of [null, {}, { callbacks: ['x'], elicitationModes: ['form'] }, { callbacks: [], elicitationModes: [] }])
    assert.ok(!isDescription(forged));
});
