/** A host that keeps a form's defaults: filled in by the handler, or by the host itself for handlers that leave fields out. */
import { fileURLToPath } from 'node:url';
import { createBulkhead } from 'mcp-bulkhead';
import type { FormValue, ServicesOf } from 'mcp-bulkhead/handler';

interface Values {
  readonly [field: string]: FormValue;
}

const services = {
  /** A dialog that gives back what the person has changed. */
  async ask({ message, filled }: { readonly message: string; readonly filled: Values }): Promise<Values> {
    console.log(`asked: ${message} ${JSON.stringify(filled)}`);
    return { name: 'Ada', copies: 2 };
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };
const ways = [
  { who: 'handler', applyDefaults: false },
  { who: 'host', applyDefaults: true },
];

for (const mode of ['auto', 'legacy'] as const)
  for (const { who, applyDefaults } of ways) {
    await using connection = await bulkhead.connect(server, {
      serverId: 'printer',
      clientOptions: { versionNegotiation: { mode } },
      // Any limit of the bulkhead can be another one for one connection; `assigns` is what its callbacks are told.
      elicitation: { applyDefaults },
      assigns: { hostAppliesDefaults: applyDefaults },
    });
    const result = await connection.callTool({ name: 'print' });
    if (result.isError) throw new Error('the tool failed', { cause: result.content });
    for (const block of result.content)
      if (block.type === 'text') console.log(`${connection.era}, filled in by the ${who}: ${block.text}`);
  }
