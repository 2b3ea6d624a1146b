/** A host that lets the person choose. It knows nothing of schemas: the handler has made plain lists of them. */
import { fileURLToPath } from 'node:url';
import { createBulkhead } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';
import type { Choice } from './handler.js';

const services = {
  /** The person of this example takes the last option, or the last two. Only the handler knows which values those stand for. */
  async choose({ field, several, options }: Choice): Promise<readonly string[]> {
    const taken = options.slice(several ? -2 : -1);
    const list = options.map((option) => `${taken.includes(option) ? '*' : ' '}${option.label}`);
    console.log(`  ${field}: ${list.join('  ')}`);
    return taken.map(({ value }) => value);
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'pizzeria',
    clientOptions: { versionNegotiation: { mode } },
  });
  const result = await connection.callTool({ name: 'order-pizza' });
  if (result.isError) throw new Error('the tool failed', { cause: result.content });
  for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
}
