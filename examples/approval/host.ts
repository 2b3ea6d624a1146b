/** A host that lends its model to servers, if the person agrees to each prompt and each answer. */
import { fileURLToPath } from 'node:url';
import { createBulkhead, isBulkheadError, type ServiceExtra } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

interface Passage {
  readonly what: string;
  readonly text: string;
}
interface Completion {
  readonly text: string;
  readonly model: string;
}

const services = {
  /** The person of this example lets everything pass but the diary. */
  async approve({ what, text }: Passage, { serverId }: ServiceExtra): Promise<boolean> {
    const approved = !text.includes('diary');
    console.log(`  ${serverId}, ${what}: "${text}" ${approved ? 'approved' : 'rejected'}`);
    return approved;
  },
  /** The model's key stays in the main thread, where no handler can read it. Hand `signal` to the model's client. */
  async complete({ prompt }: { readonly prompt: string; readonly maxTokens: number }): Promise<Completion> {
    return { text: `${prompt.split(' ').at(-1)} is what matters.`, model: 'example-1' };
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

let summaries = 0;

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, { serverId: 'notes', clientOptions: { versionNegotiation: { mode } } });
  for (const note of ['Buy bread', 'My diary of 1852'])
    try {
      const result = await connection.callTool({ name: 'summarise', arguments: { note } });
      if (!result.isError) summaries++;
      for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
    } catch (error) {
      // A refusal has no form on the wire of 2026-07-28, so it ends the call here; an older server is sent code and message.
      if (!isBulkheadError(error)) throw error;
      console.log(`${connection.era}: ${error.kind} ${error.code}, ${error.message}`);
    }
}
if (summaries !== 2) throw new Error('one note should have been summarised in each era, and the other in none');
