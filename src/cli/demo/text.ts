/** Reading the results of tools: the text a server put together, and structured content of a shape the demo's server promises. */

interface ToolResult {
  readonly content?: unknown;
  readonly structuredContent?: unknown;
}

/** All text blocks of a result, joined. */
export function textOf(result: ToolResult): string {
  const blocks = Array.isArray(result.content) ? (result.content as readonly { readonly text?: unknown }[]) : [];
  return blocks.map((block) => (typeof block.text === 'string' ? block.text : '')).join('\n');
}

/** The structured content of a tool with an output schema, which the official client has already checked. */
export function structuredOf<T>(result: ToolResult): T {
  if (typeof result.structuredContent !== 'object' || result.structuredContent === null)
    throw new Error(`the server failed: ${textOf(result)}`);
  return result.structuredContent as T;
}
