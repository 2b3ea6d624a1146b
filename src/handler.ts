/** Public entry `mcp-bulkhead/handler`: what a handler module needs. Light: it loads no SDK and no validator. */

import { linearMatches } from './contract/engine.js';
import { type FormFault, formFaults } from './contract/form.js';
import type { FormSchema } from './contract/handler.js';

export { defaultsOf, type FormFault } from './contract/form.js';
export * from './contract/handler.js';

/**
 * What is wrong with `content` as an answer to a form: an empty list, or faults with JSON Pointers into the content
 * (behaviour 61). The answer guard applies the same rules afterwards, so an answer without faults will be sent.
 *
 * `schema` is `params.requestedSchema` as the callback got it. Missing content counts as `{}`. Never throws for plain data.
 */
export function validateContent(schema: FormSchema, content: unknown): readonly FormFault[] {
  return formFaults(schema, content, linearMatches);
}
