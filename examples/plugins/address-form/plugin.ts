/**
 * Fills a form from the host's address book and checks it with zod before it answers. Needs one service of the host, for one
 * kind of entry; has no clock, no network, no files.
 */
import { type CallbackContext, type ElicitationParams, type ElicitationResult, refuse } from 'mcp-bulkhead/handler';
import { z } from 'zod';

const Address = z.object({
  name: z.string().min(1),
  email: z.email(),
  postcode: z.string().regex(/^[0-9A-Z -]{3,10}$/),
});

type Services = { readonly 'book.read': (data?: unknown) => Promise<unknown> };

export async function handleElicitation(
  params: ElicitationParams,
  context: CallbackContext<Services>,
): Promise<ElicitationResult> {
  if (params.mode !== 'form') throw refuse(-32602, 'this plugin fills forms only');
  const entry = Address.safeParse(await context.host['book.read']({ kind: 'home' }));
  if (!entry.success) return { action: 'decline' };
  const known = Object.entries(entry.data).filter(([name]) => name in params.requestedSchema.properties);
  const missing = (params.requestedSchema.required ?? []).filter((name) => !known.some(([field]) => field === name));
  return missing.length > 0 ? { action: 'decline' } : { action: 'accept', content: Object.fromEntries(known) };
}
