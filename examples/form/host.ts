/** A host that lets its servers ask the person for input. Run it: it starts the server beside it, once per era. */
import { fileURLToPath } from 'node:url';
import { createBulkhead, type ServiceExtra } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

interface Form {
  readonly message: string;
  readonly fields: readonly string[];
}
interface Answer {
  readonly [field: string]: string | number | boolean;
}

/** What the person of this example does with each form; null is a click on "No". */
const answers: (Answer | null)[] = [];

const services = {
  /** Runs in the main thread. An app opens its dialog here, and closes it when `signal` fires. */
  async ask({ message, fields }: Form, { serverId }: ServiceExtra): Promise<Answer | null> {
    console.log(`${serverId} asks: ${message} [${fields.join(', ')}]`);
    return answers.shift() ?? null;
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

let seats = 0;

// `auto`, the default, finds the newest revision that both sides speak; `legacy` is what an older server would get.
for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'bookings',
    clientOptions: { versionNegotiation: { mode } },
  });
  answers.push({ name: 'Ada', seats: 2, window: true }, null);
  for (const restaurant of ['Chez Nous', 'Il Forno']) {
    const result = await connection.callTool({ name: 'book-table', arguments: { restaurant } });
    if (result.isError) throw new Error('the tool failed', { cause: result.content });
    seats += (result.structuredContent as { readonly seats: number }).seats;
    for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
  }
}
if (seats !== 4) throw new Error(`${seats} seats were booked: two were wanted in each era`);
