/** A host that changes its mind: in the middle of a call, and while a person is being asked. And a server that does. */
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createBulkhead, isBulkheadError, type ServiceExtra } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

let dialogs = 0;
/** What the host does while the dialog is open. */
let meanwhile = (): void => {};

const services = {
  /** The person of this example never answers. However the question ends, `signal` fires and the dialog goes away. */
  async ask(message: string, { signal }: ServiceExtra): Promise<string> {
    console.log(`  dialog opened: ${message}`);
    dialogs++;
    const gone = once(signal, 'abort');
    meanwhile();
    await gone;
    dialogs--;
    console.log('  dialog closed');
    return 'too late, and heard by nobody';
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({ handler: new URL('./handler.js', import.meta.url), host: services });
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

for (const mode of ['auto', 'legacy'] as const) {
  await using connection = await bulkhead.connect(server, {
    serverId: 'worker',
    clientOptions: { versionNegotiation: { mode } },
  });
  const show = async (name: string) => {
    const { content } = await connection.callTool({ name });
    for (const block of content) if (block.type === 'text') console.log(`${connection.era}, ${name}: ${block.text}`);
  };
  const givenUp = async (name: string, signal?: AbortSignal) => {
    const error: unknown = await connection.callTool({ name }, signal && { signal }).catch((reason: unknown) => reason);
    if (!isBulkheadError(error) || error.kind !== 'cancelled') throw new Error('expected a cancelled call', { cause: error });
    console.log(`${connection.era}, ${name}: ${error.message}`);
  };

  // Whoever makes a call can give it up by its signal.
  await givenUp('work', AbortSignal.timeout(300));
  await show('last');

  // Whoever looks after the connection can, by the call's id; the callbacks that run on its behalf go with it.
  meanwhile = () => {
    for (const { id, inputs } of connection.pendingCalls()) if (inputs > 0) connection.cancel(id, 'the window was closed');
  };
  await givenUp('ask');

  // And the server can take its question back.
  meanwhile = () => {};
  if (connection.era === 'legacy') await show('ask-briefly');
}
if (dialogs !== 0) throw new Error('a dialog stayed open');
