/** A host whose call needs a page first: it is asked for consent, waits for the notice, and the call goes out again by itself. */
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createBulkhead } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

interface Page {
  readonly message: string;
  readonly url: string;
  readonly place: string;
}

/** The system's browser and the person in front of it, who needs a while. Only after consent: a host itself fetches nothing. */
async function browse(url: string): Promise<void> {
  await setTimeout(300);
  console.log('the person signs in');
  await fetch(url);
}

const services = {
  async open({ message, url, place }: Page): Promise<boolean> {
    console.log(`asked: ${message} At ${place.replace(/\d+$/, '…')}`);
    void browse(url);
    return true;
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({
  handler: new URL('./handler.js', import.meta.url),
  host: services,
  // For development: without it only https is let through to a person.
  elicitation: { allowLoopbackHttp: true },
});
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };
const clientOptions = { versionNegotiation: { mode: 'legacy' } } as const;
await using connection = await bulkhead.connect(server, { serverId: 'mail', clientOptions });

// Ids that nobody waits for, and repeated ones, do not come this far.
connection.on('notification', (method) => console.log(`notice: ${method}`));

const result = await connection.callTool({ name: 'list-mail' });
if (result.isError) throw new Error('the tool failed', { cause: result.content });
for (const block of result.content) if (block.type === 'text') console.log(`mail: ${block.text}`);
