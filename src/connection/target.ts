/**
 * What `connect` can be pointed at: a transport, an http(s) URL, or a command to start. The official client package is loaded
 * only here, and only when it is needed.
 */
import { type Check, oneOf, stringMap, strings, unknown, wrong } from '../checks.js';
import type { TransportLike } from './wire.js';

/** A server to start and speak to over stdio. */
export interface Command {
  readonly command: string;
  readonly args?: readonly string[];
  /** Added to the few variables that the official transport passes on. */
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  /** Where the server's stderr goes. Default 'inherit'. */
  readonly stderr?: 'inherit' | 'pipe' | 'ignore';
}

export type Target = TransportLike | URL | string | Command;

export interface OpenedTarget {
  readonly transport: TransportLike;
  /** The origin of the endpoint, where it has one (behaviour 42). */
  readonly origin: string | null;
}

const expected = 'a transport, an http(s) URL, or { command, args, env, cwd }';

export async function openTarget(target: Target): Promise<OpenedTarget> {
  if (typeof target === 'string' || target instanceof URL) return openUrl(target);
  if (typeof target !== 'object' || target === null) wrong('target', expected, target);
  if (isTransport(target)) return { transport: target, origin: null };
  if (typeof (target as Command).command === 'string') return openCommand(target as Command);
  return wrong('target', expected, target);
}

export function isTransport(value: unknown): value is TransportLike {
  const { start, send, close } = (value ?? {}) as { [member: string]: unknown };
  return typeof start === 'function' && typeof send === 'function' && typeof close === 'function';
}

async function openUrl(target: URL | string): Promise<OpenedTarget> {
  const url = parse(target);
  if (url === undefined || !/^https?:$/.test(url.protocol)) wrong('target', expected, String(target));
  const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
  return { transport: new StreamableHTTPClientTransport(url) as TransportLike, origin: url.origin };
}

function parse(target: URL | string): URL | undefined {
  try {
    return new URL(target);
  } catch {
    return undefined;
  }
}

const stderrs: Check<NonNullable<Command['stderr']>> = oneOf('inherit', 'pipe', 'ignore');
const commandNames = ['command', 'args', 'env', 'cwd', 'stderr'];

async function openCommand(given: Command): Promise<OpenedTarget> {
  for (const name of Object.keys(given)) if (!commandNames.includes(name)) unknown(`target.${name}`, commandNames);
  const { command, args, env, cwd, stderr } = given;
  if (command === '') wrong('target.command', 'a command', command);
  strings('target.args', args, []);
  stringMap('target.env', env, {});
  if (cwd !== undefined && typeof cwd !== 'string') wrong('target.cwd', 'a path', cwd);
  stderrs('target.stderr', stderr, 'inherit');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const transport = new StdioClientTransport({
    command,
    ...(args !== undefined && { args: [...args] }),
    ...(env !== undefined && { env: { ...env } }),
    ...(cwd !== undefined && { cwd }),
    ...(stderr !== undefined && { stderr }),
  });
  return { transport: transport as TransportLike, origin: null };
}
