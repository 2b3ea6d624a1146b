/**
 * Content blocks of sampling, in requests and results (behaviours 38, 39): which kinds there are, and what each must have.
 * Blocks are judged, not rebuilt: annotations and `_meta` belong to them.
 */
import { isObject } from '../contract/form.js';
import type { Revision } from '../contract/handler.js';

export type Block = { readonly type: string; readonly [member: string]: unknown };

const isString = (value: unknown): boolean => typeof value === 'string';

type Check = (block: { readonly [member: string]: unknown }) => boolean;

const media: Check = (block) => isString(block.data) && isString(block.mimeType);

const plainKinds: { readonly [kind: string]: Check } = {
  text: (block) => isString(block.text),
  image: media,
  audio: media,
};

/** What a tool result may hold. */
const resultKinds: { readonly [kind: string]: Check } = {
  ...plainKinds,
  resource_link: (block) => isString(block.uri) && isString(block.name),
  resource: (block) => isObject(block.resource) && isString(block.resource.uri),
};

const toolKinds: { readonly [kind: string]: Check } = {
  ...plainKinds,
  tool_use: (block) => isString(block.id) && isString(block.name) && isObject(block.input),
  tool_result: (block) =>
    isString(block.toolUseId) &&
    Array.isArray(block.content) &&
    block.content.every((inner) => isKind(inner, resultKinds)) &&
    (block.isError === undefined || typeof block.isError === 'boolean'),
};

function isKind(block: unknown, kinds: { readonly [kind: string]: Check }): boolean {
  if (!isObject(block) || typeof block.type !== 'string' || !Object.hasOwn(kinds, block.type)) return false;
  return kinds[block.type]?.(block) === true;
}

/**
 * The blocks of a `content`, or what is wrong with it. Revision 2025-06-18 has one block and no tools; later ones have a
 * block or a list, never an empty one.
 */
export function readBlocks(content: unknown, revision: Revision): readonly Block[] | string {
  const early = revision === '2025-06-18';
  if (early && Array.isArray(content)) return 'must be a single block in this protocol revision';
  const blocks = Array.isArray(content) ? content : [content];
  if (blocks.length === 0) return 'must not be empty';
  const kinds = early ? plainKinds : toolKinds;
  return blocks.every((block) => isKind(block, kinds)) ? (blocks as Block[]) : 'must be content of a known kind';
}
