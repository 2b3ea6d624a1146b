/**
 * Sampling requests (behaviours 33 to 38, and 4 for tools). The callback is the approval point: nothing here approves or
 * sends anything. What it sees is clamped, rid of other servers' context unless allowed, and free of protocol plumbing.
 *
 * Malformed requests are `-32602`; those that policy turns down (idle, too many tool rounds) have its `rejectionCode`.
 */
import { isObject } from '../contract/form.js';
import type { Json, JsonObject } from '../contract/handler.js';
import { pointer } from '../contract/pointer.js';
import { fail, invalidParams, pass, type Refused, type Verdict } from '../verdict.js';
import { judgeMessages } from './messages.js';
import type { Asked, GuardPolicy } from './policy.js';
import { oversize } from './size.js';

type Params = { readonly [key: string]: unknown };
type AskedSampling = Extract<Asked, { kind: 'sampling' }>;

/** Pictures may be large; beyond this, copying them to a worker would be felt on the main thread. */
const maxSize = 4 * 2 ** 20;
const maxNodes = 100_000;
const maxDepth = 64;

export function admitSampling(params: unknown, policy: GuardPolicy): Verdict<AskedSampling> {
  if (!isObject(params)) return invalidParams('params must be an object', '');
  const size = oversize(params, { depth: maxDepth, nodes: maxNodes, size: maxSize });
  if (size === 'deep') return invalidParams(`params must have at most ${maxDepth} levels`, '');
  if (size === 'large') return invalidParams(`params must have at most ${maxNodes} values and ${maxSize} characters`, '');
  const fault = toolsFault(params, policy) ?? shapeFault(params);
  if (fault !== undefined) return fault;
  const rounds = judgeMessages(params.messages, policy.revision);
  if (!rounds.ok) return rounds;
  const rejection = policyFault(rounds.value, policy);
  return (
    rejection ??
    pass({ kind: 'sampling', params: rebuild(params, policy), offeredTools: offered(params), revision: policy.revision })
  );
}

/** Behaviour 4. Even an empty list needs the capability, and revision 2025-06-18 has no tools whatever was offered. */
function toolsFault(params: Params, { limits, revision }: GuardPolicy): Refused | undefined {
  if (limits.sampling.tools && revision !== '2025-06-18') return undefined;
  const used = ['tools', 'toolChoice'].find((name) => params[name] !== undefined);
  return used === undefined ? undefined : invalidParams('sampling.tools was not declared', pointer(used));
}

const isString = (value: unknown): boolean => typeof value === 'string';
const isTool = (tool: unknown): boolean => isObject(tool) && isString(tool.name) && isObject(tool.inputSchema);
const isChoice = (mode: unknown): boolean => mode === undefined || mode === 'auto' || mode === 'required' || mode === 'none';

const isHint = (hint: unknown): boolean => isObject(hint) && (hint.name === undefined || isString(hint.name));
const isPriority = (value: unknown): boolean => value === undefined || Number.isFinite(value);

function isPreferences(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { hints = [], costPriority, speedPriority, intelligencePriority } = value;
  const hinted = Array.isArray(hints) && hints.every(isHint);
  return hinted && [costPriority, speedPriority, intelligencePriority].every(isPriority);
}

/** What the callback may be shown, in this order, and what each must be. */
const shapes: { readonly [name: string]: { readonly fits: (value: unknown) => boolean; readonly expected: string } } = {
  messages: { fits: Array.isArray, expected: 'a list of messages' },
  maxTokens: { fits: (value) => Number.isSafeInteger(value) && (value as number) > 0, expected: 'a positive integer' },
  systemPrompt: { fits: isString, expected: 'a string' },
  modelPreferences: { fits: isPreferences, expected: 'an object of hints with names, and priorities that are numbers' },
  includeContext: {
    fits: (value) => value === 'none' || value === 'thisServer' || value === 'allServers',
    expected: 'none, thisServer or allServers',
  },
  temperature: { fits: Number.isFinite, expected: 'a finite number' },
  stopSequences: { fits: (value) => Array.isArray(value) && value.every(isString), expected: 'an array of strings' },
  metadata: { fits: isObject, expected: 'an object' },
  tools: { fits: (value) => Array.isArray(value) && value.every(isTool), expected: 'a list of tools with name and inputSchema' },
  toolChoice: {
    fits: (value) => isObject(value) && isChoice(value.mode),
    expected: 'an object with a mode of auto, required or none',
  },
};

const needed = new Set(['messages', 'maxTokens']);

function shapeFault(params: Params): Refused | undefined {
  for (const [name, { fits, expected }] of Object.entries(shapes)) {
    const value = params[name];
    if (value === undefined ? needed.has(name) : !fits(value)) return invalidParams(`must be ${expected}`, pointer(name));
  }
  return undefined;
}

function policyFault(toolRounds: number, { idle, limits: { sampling } }: GuardPolicy): Refused | undefined {
  if (idle && !sampling.allowIdle) return fail(sampling.rejectionCode, 'no call to this server is in flight');
  const { maxToolIterations: max, rejectionCode } = sampling;
  return toolRounds > max ? fail(rejectionCode, `more than ${max} tool rounds`, '/messages') : undefined;
}

function rebuild(params: Params, { limits: { sampling } }: GuardPolicy): JsonObject {
  const kept: Record<string, Json> = {};
  for (const name of Object.keys(shapes)) if (params[name] !== undefined) kept[name] = params[name] as Json;
  kept.maxTokens = Math.min(params.maxTokens as number, sampling.maxTokens);
  if (kept.includeContext !== undefined && !sampling.context) kept.includeContext = 'none';
  return kept;
}

function offered(params: Params): readonly string[] | null {
  const { tools, toolChoice } = params as { tools?: readonly { name: string }[]; toolChoice?: { mode?: string } };
  return tools === undefined || toolChoice?.mode === 'none' ? null : tools.map((tool) => tool.name);
}
