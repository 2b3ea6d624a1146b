/** What the guards' tests share: a policy, a form in one line, and the way to a verdict. */
import assert from 'node:assert/strict';
import type { JsonObject } from '../../src/contract/handler.js';
import { admit, release } from '../../src/guards/guards.js';
import type { Asked, GuardPolicy, Request } from '../../src/guards/policy.js';
import { defaults, type Limits } from '../../src/options.js';
import type { Refused, Verdict } from '../../src/verdict.js';

export type Revision = GuardPolicy['revision'];
export const revisions: readonly Revision[] = ['2025-06-18', '2025-11-25', '2026-07-28'];

type Overrides = Partial<Omit<GuardPolicy, 'limits'>> & {
  readonly sampling?: Partial<Limits['sampling']>;
  readonly elicitation?: Partial<Limits['elicitation']>;
};

export function policy({ sampling, elicitation, ...rest }: Overrides = {}): GuardPolicy {
  return {
    revision: '2025-11-25',
    elicitationModes: ['form', 'url'],
    serverOrigin: null,
    idle: false,
    limits: {
      sampling: { ...defaults.limits.sampling, ...sampling },
      elicitation: { ...defaults.limits.elicitation, ...elicitation },
    },
    ...rest,
  };
}

export function schema(properties: object, required?: readonly string[]): object {
  return { type: 'object', properties, ...(required === undefined ? {} : { required }) };
}

type Kind<K extends Asked['kind']> = Extract<Asked, { kind: K }>;

/** A request of one kind passes as that kind or not at all. */
function ask<K extends Asked['kind']>(kind: K, request: Request, overrides: Overrides): Verdict<Kind<K>> {
  const verdict = admit(request, policy(overrides));
  if (verdict.ok) assert.equal(verdict.value.kind, kind);
  return verdict as Verdict<Kind<K>>;
}

export function askForm(requestedSchema: unknown, overrides: Overrides = {}, message = 'm'): Verdict<Kind<'form'>> {
  return ask('form', { kind: 'elicitation', params: { message, requestedSchema } }, overrides);
}

export function askUrl(url: unknown, overrides: Overrides = {}): Verdict<Kind<'url'>> {
  return ask('url', { kind: 'elicitation', params: { mode: 'url', message: 'm', url, elicitationId: 'e1' } }, overrides);
}

export function sample(params: object, overrides: Overrides = {}): Verdict<Kind<'sampling'>> {
  const whole = { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 100, ...params };
  return ask('sampling', { kind: 'sampling', params: whole }, overrides);
}

/** The value of a verdict that must pass. */
export function passed<T>(verdict: Verdict<T>): T {
  assert.ok(verdict.ok, JSON.stringify(verdict));
  return verdict.value;
}

/** The refusal of a verdict that must not pass. */
export function refused(verdict: Verdict<unknown>, code: number, path?: string): Refused {
  assert.ok(!verdict.ok, 'was let through');
  assert.equal(verdict.code, code);
  if (path !== undefined) assert.equal(verdict.path, path);
  return verdict;
}

/** A form, admitted. */
export function form(properties: object, required?: readonly string[], overrides: Overrides = {}): Kind<'form'> {
  return passed(askForm(schema(properties, required), overrides));
}

export function accept(content: unknown, asked: Asked): Verdict<JsonObject> {
  return release(content === undefined ? { action: 'accept' } : { action: 'accept', content }, asked);
}
