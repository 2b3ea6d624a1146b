/** A host through which a server's sealed state travels, while the server rotates its keys: once in vain, twice too often. */
import { fileURLToPath } from 'node:url';
import { type Connection, createBulkhead } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

interface Answer {
  readonly [field: string]: string | number;
}

/** What happens while the person thinks about the amount. */
let meanwhile = async (): Promise<void> => {};

const services = {
  async ask({ question }: { readonly question: string }): Promise<Answer> {
    console.log(`  ${question}`);
    if (question.endsWith('To whom?')) return { to: 'Grace' };
    await meanwhile();
    return { amount: 12.5 };
  },
};
export type Services = ServicesOf<typeof services>;

async function rotate(connection: Connection, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await connection.callTool({ name: 'rotate-key' });
}

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, { serverId: 'bank', clientOptions: { versionNegotiation: { mode } } });
  let done = 0;
  for (const times of [0, 1, 2]) {
    meanwhile = () => rotate(connection, times);
    try {
      const result = await connection.callTool({ name: 'transfer' });
      for (const block of result.content)
        if (block.type === 'text') console.log(`${connection.era}, ${times} rotations: ${block.text}`);
      if (!result.isError) done++;
    } catch (error) {
      // The server's own error, as the official client tells it.
      console.log(`${connection.era}, ${times} rotations: ${(error as Error).message}`);
    }
  }
  if (done !== 2) throw new Error(`${done} transfers went through, not 2`);
}
