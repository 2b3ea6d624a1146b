/**
 * What is advertised, and whether a request asks for something that was not (behaviours 1 to 4).
 *
 * The handler module's exports decide, options switch on the extras. Advertising replaces what a client was built with for
 * sampling, elicitation and roots, and leaves every other capability alone.
 */

import stringify from 'fast-json-stable-stringify';
import type { Description } from '../contract/describe.js';
import type { ElicitationMode, Era, InputKind, JsonObject, Revision } from '../contract/handler.js';
import { codes } from '../errors.js';
import type { Limits } from '../options.js';
import { fail, type Refused } from '../verdict.js';

/** The three capabilities this package answers for. */
export interface InputCapabilities {
  readonly sampling?: JsonObject;
  readonly elicitation?: JsonObject;
  readonly roots?: JsonObject;
}

const inputKinds: readonly InputKind[] = Object.freeze(['sampling', 'elicitation', 'roots'] as const);

/** The capability object of a handler module: `{}` where it answers nothing. */
export function advertise(description: Description, limits: Limits, era: Era): InputCapabilities {
  const capabilities: { -readonly [kind in InputKind]?: JsonObject } = {};
  const { callbacks, elicitationModes } = description;
  if (callbacks.includes('sampling'))
    capabilities.sampling = { ...(limits.sampling.context && { context: {} }), ...(limits.sampling.tools && { tools: {} }) };
  if (callbacks.includes('elicitation'))
    capabilities.elicitation = Object.fromEntries(elicitationModes.map((mode) => [mode, {}]));
  if (callbacks.includes('roots')) capabilities.roots = era === 'legacy' && limits.roots.listChanged ? { listChanged: true } : {};
  return capabilities;
}

/** `given` with our three capabilities in place of its own. */
export function replaceCapabilities(given: JsonObject, ours: InputCapabilities): JsonObject {
  const { sampling: _sampling, elicitation: _elicitation, roots: _roots, ...rest } = given;
  return { ...rest, ...(ours as JsonObject) };
}

/** The names among the three for which a client was built with something else than what is advertised. */
export function differences(given: JsonObject, ours: InputCapabilities): readonly InputKind[] {
  return inputKinds.filter((kind) => given[kind] !== undefined && spell(kind, given[kind]) !== spell(kind, ours[kind]));
}

/** `elicitation: {}` means the form alone (behaviour 3), and the order of modes means nothing. */
function spell(kind: InputKind, value: unknown): string {
  const bare = kind === 'elicitation' && typeof value === 'object' && value !== null && Object.keys(value).length === 0;
  return stringify(bare ? { form: {} } : (value ?? null));
}

/** The modes in force: revision 2025-06-18 knows forms only, whatever was offered. */
export function modesIn(revision: Revision, description: Description): readonly ElicitationMode[] {
  if (!description.callbacks.includes('elicitation')) return [];
  return revision === '2025-06-18'
    ? description.elicitationModes.filter((mode) => mode === 'form')
    : description.elicitationModes;
}

/** Refuses a kind that was not advertised. */
export function undeclared(kind: InputKind, description: Description): Refused | undefined {
  return description.callbacks.includes(kind)
    ? undefined
    : fail(codes.methodNotFound, `The capability "${kind}" is not declared`);
}
