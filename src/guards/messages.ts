/**
 * The messages of a sampling request (behaviour 38, case 72), and how many tool rounds they hold (behaviour 37).
 *
 * Pairing: an assistant's `tool_use` blocks are answered by the next message, which is the user's and holds nothing but
 * one `tool_result` for each. A request that breaks this would make a model's own API fail with a riddle.
 */
import { isObject } from '../contract/form.js';
import type { Revision } from '../contract/handler.js';
import { invalidParams, pass, type Verdict } from '../verdict.js';
import { type Block, readBlocks } from './blocks.js';

/** Passes with the number of assistant messages that hold a `tool_use`. */
export function judgeMessages(messages: unknown, revision: Revision): Verdict<number> {
  if (!Array.isArray(messages)) return invalidParams('must be a list of messages', '/messages');
  let toolRounds = 0;
  let open: ReadonlySet<string> = none;
  for (const [index, message] of messages.entries()) {
    const path = `/messages/${index}`;
    if (!isObject(message)) return invalidParams('a message must be an object', path);
    if (message.role !== 'user' && message.role !== 'assistant')
      return invalidParams('must be user or assistant', `${path}/role`);
    const blocks = readBlocks(message.content, revision);
    if (typeof blocks === 'string') return invalidParams(blocks, `${path}/content`);
    const fault = orderFault(message.role, blocks) ?? resultsFault(blocks, open);
    if (fault !== undefined) return invalidParams(fault, path);
    open = toolUses(blocks);
    toolRounds += open.size > 0 ? 1 : 0;
  }
  const last = messages.length - 1;
  return open.size > 0
    ? invalidParams('every tool_use must be answered in the next message', `/messages/${last}`)
    : pass(toolRounds);
}

const none: ReadonlySet<string> = new Set();

function orderFault(role: 'user' | 'assistant', blocks: readonly Block[]): string | undefined {
  const results = blocks.filter((block) => block.type === 'tool_result').length;
  const uses = blocks.filter((block) => block.type === 'tool_use').length;
  if (role === 'assistant' && results > 0) return 'a tool_result belongs in a user message';
  if (role === 'user' && uses > 0) return 'a tool_use belongs in an assistant message';
  if (results > 0 && results < blocks.length) return 'a message with a tool_result must hold nothing else';
  return toolUses(blocks).size < uses ? 'the ids of tool_use blocks must differ' : undefined;
}

/** Whether the results of a message answer exactly what is open. */
function resultsFault(blocks: readonly Block[], open: ReadonlySet<string>): string | undefined {
  const results = blocks.filter((block) => block.type === 'tool_result').map((block) => block.toolUseId as string);
  const answered = new Set(results);
  if (answered.size < results.length) return 'a tool_use must be answered once';
  if (results.some((id) => !open.has(id))) return 'a tool_result must answer a tool_use of the message before';
  return answered.size < open.size ? 'every tool_use must be answered in the next message' : undefined;
}

function toolUses(blocks: readonly Block[]): ReadonlySet<string> {
  const uses = blocks.filter((block) => block.type === 'tool_use');
  return uses.length === 0 ? none : new Set(uses.map((block) => block.id as string));
}
