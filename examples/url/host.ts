/** A host that opens pages for its servers, once the person has seen where they lead. Three addresses, three fates. */
import { fileURLToPath } from 'node:url';
import { createBulkhead, isBulkheadError, type ServiceExtra } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

interface Page {
  readonly message: string;
  readonly url: string;
  readonly domain: string;
  readonly warnings: readonly string[];
}

const opened: string[] = [];

const services = {
  /** After consent an app hands the URL to the system's browser: never to a view of its own, never to a shell. */
  async consent({ message, url, domain, warnings }: Page, { serverId }: ServiceExtra): Promise<boolean> {
    console.log(`  ${serverId}: ${message}\n  ${url}, a page of ${domain}`);
    for (const warning of warnings) console.log(`  careful: ${warning}`);
    if (warnings.length > 0) return false;
    opened.push(url);
    return true;
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({
  handler: new URL('./handler.js', import.meta.url),
  host: services,
  // Known from the endpoint where the server is remote; a local one has no address, so its operator tells.
  elicitation: { origin: 'https://accounts.example.co.uk' },
});
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };
const pages = ['https://accounts.example.co.uk/sign-in', 'https://\u0430ccounts.example/sign-in', 'javascript:alert(1)'];

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'accounts',
    clientOptions: { versionNegotiation: { mode } },
  });
  for (const page of pages)
    try {
      const result = await connection.callTool({ name: 'connect-account', arguments: { page } });
      for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
    } catch (error) {
      // An unacceptable URL reaches nobody. The older server hears so and its tool fails; here the call itself does.
      if (!isBulkheadError(error)) throw error;
      console.log(`${connection.era}: ${error.kind}, ${error.message}`);
    }
}
if (opened.length !== 2) throw new Error('the good page should have been opened, and no other');
