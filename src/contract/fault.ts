/**
 * What was thrown, as plain text for the host. Never for a server.
 *
 * Anything can be thrown: `undefined`, a proxy, an error whose `message` is a getter that throws. Each property is read once,
 * inside a try, checked for its type and cut. Invariant: never throws, and holds nothing but strings and plain data.
 */
import type { Json } from './handler.js';
import { encode } from './plain.js';

/** How a thread's own failure is reported to the host (never to the server). Plain data. */
export interface Fault {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: Json;
  readonly data?: Json;
}

const maxMessage = 4096;
const maxStack = 16_384;
const maxDataBytes = 65_536;

export function toFault(thrown: unknown): Fault {
  if (typeof thrown !== 'object' || thrown === null) return { name: 'Thrown', message: spell(thrown) };
  const read = (key: string): unknown => readOnce(thrown, key);
  const fault: { -readonly [key in keyof Fault]: Fault[key] } = {
    name: text(read('name'), 200) ?? 'Thrown',
    message: text(read('message'), maxMessage) ?? 'an object that is no error',
  };
  const stack = text(read('stack'), maxStack);
  if (stack) fault.stack = withCauses(stack, thrown);
  const code = read('code');
  if (typeof code === 'string') fault.code = code.slice(0, 200);
  else if (Number.isFinite(code)) fault.code = code as number;
  const data = encode(read('data'), maxDataBytes);
  if (data.ok && data.json !== undefined) fault.data = JSON.parse(data.json);
  return fault;
}

/** A fault of our own words. */
export function fault(name: string, message: string): Fault {
  return { name, message };
}

/** Errors name their cause; a chain of at most four is written below the stack. */
function withCauses(stack: string, thrown: object): string {
  let spelled = stack;
  let cause = readOnce(thrown, 'cause');
  for (let depth = 0; depth < 4 && typeof cause === 'object' && cause !== null; depth++) {
    spelled += `\nCaused by: ${text(readOnce(cause, 'stack'), maxStack) ?? text(readOnce(cause, 'message'), maxMessage) ?? '?'}`;
    cause = readOnce(cause, 'cause');
  }
  return spelled.slice(0, maxStack);
}

function spell(thrown: unknown): string {
  if (typeof thrown === 'string') return thrown.slice(0, maxMessage);
  if (typeof thrown === 'function') return 'a function';
  return String(thrown).slice(0, maxMessage);
}

function readOnce(value: object, key: string): unknown {
  try {
    return (value as { [key: string]: unknown })[key];
  } catch {
    return undefined;
  }
}

function text(value: unknown, max: number): string | undefined {
  return typeof value === 'string' ? value.slice(0, max) : undefined;
}
