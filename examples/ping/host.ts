/** A host that sees whether its server is there, and shows that it is there itself while a callback computes. */
import { fileURLToPath } from 'node:url';
import { createBulkhead } from 'mcp-bulkhead';

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url) });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'patient',
    clientOptions: { versionNegotiation: { mode } },
  });
  // A `ping`, or where that is gone a `server/discover` past every cache. Rejects with kind `timeout` if nothing comes back.
  const took = await connection.ping({ timeout: 2_000 });
  console.log(`${connection.era}: the server answered in ${took.toFixed(1)} ms`);
  if (connection.era === 'modern') continue;
  const result = await connection.callTool({ name: 'ask-and-ping' });
  if (result.isError) throw new Error('the host did not answer while it was busy', { cause: result.content });
  for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
}
