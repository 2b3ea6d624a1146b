/** A host whose calls may take their time as long as they move: progress winds up the idle clock, and never the total one. */
import { fileURLToPath } from 'node:url';
import { createBulkhead, isBulkheadError } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

let status = '';
const services = {
  async status(line: string): Promise<void> {
    status = line;
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };
const params = { name: 'index', arguments: { files: 12 } };

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'indexer',
    clientOptions: { versionNegotiation: { mode } },
  });
  // Twelve files take longer than `timeout`. This call may run for as long as its server tells of one more file in time.
  let seen = 0;
  const result = await connection.callTool(params, {
    timeout: 900,
    resetTimeoutOnProgress: true,
    onprogress({ progress, total }) {
      seen++;
      if (progress === total) console.log(`${connection.era}: ${progress} of ${total}, after ${seen} notices`);
    },
  });
  for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
  // And this one may not: it is given up, and the server is told.
  const late = await connection.callTool(params, { timeout: 900 }).catch((error: unknown) => error);
  if (!isBulkheadError(late) || late.kind !== 'timeout') throw new Error('the call should have timed out', { cause: late });
  console.log(`${connection.era}: ${late.message}`);
  console.log(`${connection.era}: last status "${status}"`);
}
