/** A host whose handler checks what the person typed before it answers. The person of this example is right the third time. */
import { fileURLToPath } from 'node:url';
import { createBulkhead } from 'mcp-bulkhead';
import type { FormFault, ServicesOf } from 'mcp-bulkhead/handler';

interface Question {
  readonly message: string;
  /** What was wrong with the last answer: JSON Pointers, so that a dialog can put each beside its field. */
  readonly faults: readonly FormFault[];
}
interface Answer {
  readonly [field: string]: string | number;
}

const typed: Answer[] = [];

const services = {
  async ask({ message, faults }: Question): Promise<Answer> {
    if (faults.length === 0) console.log(`asked: ${message}`);
    for (const { path, reason } of faults) console.log(`  ${path} ${reason}`);
    return typed.shift() ?? {};
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'parcels',
    clientOptions: { versionNegotiation: { mode } },
  });
  typed.push(
    { email: 'ada', pickup: 'tomorrow', kilos: '2' },
    { email: 'ada@example.com', pickup: '2026-02-30', kilos: 31, pieces: 1.5 },
    { email: 'ada@example.com', pickup: '2026-03-01', kilos: 2.5, pieces: 1 },
  );
  const result = await connection.callTool({ name: 'send-parcel' });
  if (result.isError) throw new Error('the tool failed', { cause: result.content });
  for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
}
