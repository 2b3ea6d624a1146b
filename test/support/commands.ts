/** How to start the servers of this folder, and the published ones, as child processes. */
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Their greetings on stderr would only clutter the report of the tests. */
  readonly stderr: 'ignore';
}

function node(...args: string[]): StdioCommand {
  return { command: process.execPath, args, stderr: 'ignore' };
}

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** `asking.ts`, legacy. */
export const askingCommand: StdioCommand = node(beside('./stdio-asking.js'));
/** `rounds.ts`, both eras. */
export const roundsCommand: StdioCommand = node(beside('./stdio-rounds.js'));
/** `fastmcp-server.ts`, legacy. */
export const fastmcpCommand: StdioCommand = node(beside('./fastmcp-server.js'));

const { resolve } = createRequire(import.meta.url);

/** A published server's entry file. */
const published = (name: string) => resolve(`${name}/dist/index.js`);

export const everythingCommand: StdioCommand = node(published('@modelcontextprotocol/server-everything'));

/** The folders it may touch come from the client's roots alone if `folders` is empty. */
export function filesystemCommand(...folders: string[]): StdioCommand {
  return node(published('@modelcontextprotocol/server-filesystem'), ...folders);
}
