/** Tells a server which folders it may see. Paths become `file:` URIs on their way out; what is no local file is dropped. */
import type { Root, RootsCallback } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const listRoots: RootsCallback<Services> = async ({ host, serverId }) => {
  // `serverId` is the operator's name for the server, so a decision may rest on it; what a server calls itself is not here.
  const folders = await host.foldersOf(serverId);
  return { roots: folders.map((path): Root => ({ uri: path })) };
};
