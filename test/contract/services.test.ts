// What a callback sees of the host's services is a matter of types alone, so the compiler is the one that tests it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServicesOf } from '../../src/handler.js';
import type { HostServiceTable, ServiceExtra } from '../../src/index.js';

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

const services = {
  async ask(form: { readonly message: string }, extra: ServiceExtra): Promise<string | null> {
    return extra.signal.aborted ? null : form.message;
  },
  now: (): number => 0,
  anything: (data: unknown): unknown => data,
};

interface Seen {
  readonly ask: (data: { readonly message: string }) => Promise<string | null>;
  readonly now: () => Promise<number>;
  readonly anything: (data: unknown) => Promise<unknown>;
}

test('services say what data they take, and callbacks see them without the host’s own argument, always with a promise', () => {
  const table: HostServiceTable = services;
  const typed: Same<ServicesOf<typeof services>, Seen> = true;
  const untyped: Same<Parameters<HostServiceTable[string]>[0], unknown> = true;
  assert.deepEqual([Object.keys(table), typed, untyped], [['ask', 'now', 'anything'], true, true]);
});
