/** A host that shows its servers some folders, and tells them when there is one more. */
import { fileURLToPath } from 'node:url';
import { createBulkhead } from 'mcp-bulkhead';
import type { ServicesOf } from 'mcp-bulkhead/handler';

const folders = new Map<string, string[]>();

const services = {
  async foldersOf(serverId: string): Promise<readonly string[]> {
    console.log(`  ${serverId} asks for its folders`);
    return folders.get(serverId) ?? [];
  },
};
export type Services = ServicesOf<typeof services>;

await using bulkhead = await createBulkhead({
  handler: new URL('./handler.js', import.meta.url),
  host: services,
  // Off by default: only a host that really tells may say that it does.
  roots: { listChanged: true },
});
const server = { command: process.execPath, args: [fileURLToPath(new URL('./server.js', import.meta.url))] };

for (const mode of ['auto', 'legacy'] as const) {
  folders.set('search', ['/work/letters']);
  await using connection = await bulkhead.connect(server, {
    serverId: 'search',
    clientOptions: { versionNegotiation: { mode } },
  });
  const show = async (shared: number) => {
    const result = await connection.callTool({ name: 'list-folders' });
    const { folders: seen } = result.structuredContent as { readonly folders: number };
    if (seen !== shared) throw new Error(`the server sees ${seen} folders, not ${shared}`);
    for (const block of result.content) if (block.type === 'text') console.log(`${connection.era}: ${block.text}`);
  };
  await show(1);
  await show(1);
  folders.get('search')?.push('/work/my photos');
  // Does nothing on a revision without the notice, so there is no need to ask which one it is.
  connection.rootsChanged();
  await show(2);
}
