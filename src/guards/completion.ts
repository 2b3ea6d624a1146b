/**
 * What a sampling callback returned (behaviour 39, case 71): role, model and content of known kinds; a `tool_use` only for a
 * tool that was offered. Rebuilt, so that nothing else goes to the server.
 */
import { isObject } from '../contract/form.js';
import type { Json, JsonObject } from '../contract/handler.js';
import { isEncodable } from '../contract/unicode.js';
import { invalidResult, pass, type Verdict } from '../verdict.js';
import { type Block, readBlocks } from './blocks.js';
import type { Asked } from './policy.js';

type AskedSampling = Extract<Asked, { kind: 'sampling' }>;

export function releaseSampling(said: unknown, { offeredTools, revision }: AskedSampling): Verdict<JsonObject> {
  if (!isObject(said)) return invalidResult('must be an object with role, content and model', '');
  const { role, content, model, stopReason } = said;
  if (role !== 'user' && role !== 'assistant') return invalidResult('must be user or assistant', '/role');
  if (typeof model !== 'string') return invalidResult('must be a string', '/model');
  if (stopReason !== undefined && typeof stopReason !== 'string') return invalidResult('must be a string', '/stopReason');
  const blocks = readBlocks(content, revision);
  if (typeof blocks === 'string') return invalidResult(blocks, '/content');
  const fault = toolFault(blocks, role, offeredTools);
  if (fault !== undefined) return invalidResult(fault, '/content');
  const answer = { role, content: content as Json, model, ...(stopReason === undefined ? {} : { stopReason }) };
  return isEncodable(answer) ? pass(answer) : invalidResult('must be well-formed Unicode', '');
}

function toolFault(blocks: readonly Block[], role: string, offered: readonly string[] | null): string | undefined {
  if (blocks.some((block) => block.type === 'tool_result')) return 'a tool_result is no answer';
  const uses = blocks.filter((block) => block.type === 'tool_use');
  if (uses.length === 0) return undefined;
  if (role !== 'assistant') return 'a tool_use belongs to the assistant';
  if (offered === null) return 'no tools were offered';
  const names = new Set(offered);
  if (uses.some((block) => !names.has(block.name as string))) return 'a tool_use must name a tool that was offered';
  return new Set(uses.map((block) => block.id)).size < uses.length ? 'the ids of tool_use blocks must differ' : undefined;
}
