/**
 * `fetch`, for granted origins and methods. The address is turned into text once and judged as that; a redirect is an error,
 * since it would lead elsewhere; the answer is text of a bounded size, never bytes.
 *
 * Not promised: that a granted name resolves to the same machine as yesterday, and what a granted origin is told.
 */
import type { FetchPermission } from '../../../src/contract/plugin.js';
import type { Harden } from '../realm.js';
import type { Scope } from '../scope.js';
import { signalBehind } from '../signal.js';

const { fetch: ask, URL: Address, AbortController: Controller, TextDecoder: Decoder } = globalThis;

const atOnce = 8;
const timeout = 30_000;
const longestBody = 2 ** 20;
/** Names that would address another host, or break the framing. */
const kept = /^(?:host|connection|content-length|transfer-encoding|upgrade|te|trailer|expect|keep-alive|proxy-.*|sec-.*)$/i;

interface Asked {
  readonly url: string;
  readonly init: RequestInit;
}

/** What a plugin may say about a request. */
interface Wish {
  method?: unknown;
  headers?: Record<string, unknown>;
  body?: unknown;
}

export function fetchGlobals(permission: FetchPermission, scope: Scope, harden: Harden): { fetch: unknown } {
  let running = 0;
  const fetch = async (address: unknown, init?: unknown): Promise<unknown> => {
    const asked = judge(permission, address, init);
    const given = signalBehind((init as { signal?: unknown } | null | undefined)?.signal);
    if (running >= atOnce) throw new Error(`fetch: no more than ${atOnce} requests at once`);
    running += 1;
    try {
      return harden(await perform(asked, permission, scope, given));
    } finally {
      running -= 1;
    }
  };
  return { fetch };
}

/** The request as it will be made, from texts that cannot change any more. */
function judge(permission: FetchPermission, address: unknown, init: unknown): Asked {
  const url = parse(address);
  if (url.username !== '' || url.password !== '') throw new Error('fetch: an address with a user name is refused');
  if (url.origin === 'null' || !permission.origins.includes(url.origin)) throw new Error('fetch: this origin is not granted');
  const { method = 'GET', headers = {}, body } = (JSON.parse(JSON.stringify(init ?? {}) ?? '{}') ?? {}) as Wish;
  const verb = String(method).toUpperCase();
  if (!(permission.methods ?? ['GET']).includes(verb)) throw new Error('fetch: this method is not granted');
  if (body !== undefined && (typeof body !== 'string' || body.length > longestBody))
    throw new Error(`fetch: a body is a string of at most ${longestBody} characters`);
  const names = Object.keys(headers);
  if (names.some((name) => kept.test(name))) throw new Error('fetch: this header is not for a plugin to set');
  const written = Object.fromEntries(names.map((name) => [name, String(headers[name])]));
  return { url: url.href, init: { method: verb, headers: written, redirect: 'manual', ...(body === undefined ? {} : { body }) } };
}

/** The host's own error is an object of the host; another says the same. */
function parse(address: unknown): URL {
  const text = String(address);
  try {
    return new Address(text);
  } catch {
    throw new TypeError('fetch: this is no address');
  }
}

async function perform(
  { url, init }: Asked,
  permission: FetchPermission,
  scope: Scope,
  given: AbortSignal | undefined,
): Promise<unknown> {
  const controller = new Controller();
  const stop = (): void => controller.abort();
  given?.addEventListener('abort', stop, { once: true });
  if (given?.aborted) stop();
  const forget = scope.open('a request', stop);
  const timer = setTimeout(stop, timeout);
  try {
    const response = await ask(url, { ...init, signal: controller.signal });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400 && response.status !== 304))
      throw new Error('redirect');
    return answer(response, await read(response, permission.maxResponseBytes ?? longestBody));
  } catch (error) {
    throw refusal(error);
  } finally {
    stop();
    given?.removeEventListener('abort', stop);
    clearTimeout(timer);
    forget();
  }
}

/** The host's errors stay outside; one of three texts goes in. */
function refusal(error: unknown): Error {
  const message = error instanceof Error ? error.message : '';
  if (message === 'redirect') return new Error('fetch: a redirect is refused');
  if (message === 'size') return new Error('fetch: the answer is too large');
  return new TypeError('fetch failed');
}

async function read(response: Response, most: number): Promise<string> {
  const reader = response.body?.getReader();
  const decoder = new Decoder();
  let text = '';
  let seen = 0;
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) return text + decoder.decode();
    seen += piece.value.length;
    if (seen > most) throw new Error('size');
    text += decoder.decode(piece.value, { stream: true });
  }
}

function answer(response: Response, body: string): object {
  const headers = new Map(Array.from(response.headers, ([name, value]): [string, string] => [name, value]));
  const { status, ok } = response;
  return {
    status,
    ok,
    headers: {
      get: (name: unknown) => headers.get(String(name).toLowerCase()) ?? null,
      has: (name: unknown) => headers.has(String(name).toLowerCase()),
      entries: () => [...headers],
    },
    text: async () => body,
    json: async () => JSON.parse(body) as unknown,
  };
}
