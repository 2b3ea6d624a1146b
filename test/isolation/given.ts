/**
 * What the tests of this room share: an isolation with its events kept, and tasks.
 */
import { systemClock } from '../../src/clock.js';
import type { ContextData } from '../../src/contract/handler.js';
import { createIsolation, type IsolationSettings } from '../../src/isolation/create.js';
import type { Fault, HostServiceTable, Isolation, IsolationEvents, Task } from '../../src/isolation/isolation.js';
import { defaultThreads, type ThreadSettings } from '../../src/threads.js';

export interface Heard {
  readonly stray: Parameters<IsolationEvents['stray']>[0][];
  readonly output: Parameters<IsolationEvents['output']>[0][];
  readonly undead: Parameters<IsolationEvents['undead']>[0][];
}

export function hearing(): Heard & { readonly events: IsolationEvents } {
  const heard: Heard = { stray: [], output: [], undead: [] };
  return {
    ...heard,
    events: {
      stray: (event) => void heard.stray.push(event),
      output: (event) => void heard.output.push(event),
      undead: (event) => void heard.undead.push(event),
    },
  };
}

export function fixture(name: string): string {
  return new URL(`../../../test/fixtures/handlers/${name}`, import.meta.url).href;
}

export const context: ContextData = {
  client: 'test host',
  serverId: 'files',
  era: 'legacy',
  assigns: { theme: 'dark' },
  relatedRequestId: 4,
  kind: 'elicitation',
  requestId: 7,
  deadline: 1_785_196_800_000,
  serverInfo: { name: 'server', version: '1' },
};

export function task(params: unknown, more: Partial<Task> = {}): Task {
  const { kind = 'elicitation', serverId = 'files' } = more;
  const own = { ...context, kind, serverId } as ContextData;
  return { kind, serverId, connectionId: 1, params, context: own, state: undefined, busyTimeout: 0, killGrace: 0, ...more };
}

export interface Given {
  readonly tier?: IsolationSettings['tier'];
  readonly handler?: string;
  readonly threads?: Partial<ThreadSettings>;
  readonly services?: HostServiceTable;
  readonly loadTimeout?: number;
}

/** A real isolation and what it reported. */
export async function given(options: Given): Promise<Heard & { readonly isolation: Isolation }> {
  const heard = hearing();
  const { tier = 'thread', handler = fixture('suite.mjs'), threads, services = {}, loadTimeout } = options;
  const isolation = await createIsolation({
    tier,
    handler,
    threads: { ...defaultThreads, ...threads },
    services,
    events: heard.events,
    clock: systemClock,
    ...(loadTimeout === undefined ? {} : { loadTimeout }),
  });
  return { ...heard, isolation };
}

/** A promise and its ends. */
export function deferred<T = void>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

export function messageOf(fault: Fault): string {
  return `${fault.name}: ${fault.message}`;
}
