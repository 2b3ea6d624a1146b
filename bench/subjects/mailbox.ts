/** A mailbox on the consumer of a tier, and what people would write instead: a worker and `postMessage`. */
import { Worker } from 'node:worker_threads';
import type { Case, Subject } from '../../src/cli/measure/compare.js';
import { settingsFor } from '../../src/cli/measure/tiers.js';
import { systemClock } from '../../src/clock.js';
import { createIsolation } from '../../src/isolation/create.js';
import { createNotifications, type Mailbox } from '../../src/notifications/mailbox.js';
import { type Tier, tiers } from '../../src/options.js';
import { nameOf } from './tiers.js';

const method = 'notifications/resources/updated';
const paramsOf = (n: number): { readonly uri: string; readonly n: number; readonly text: string } => ({
  uri: `file:///work/${n}`,
  n,
  text: 'what a server has to say about a resource that has changed',
});

export interface OpenMailbox {
  readonly mailbox: Mailbox;
  close(): Promise<void>;
}

export async function openMailbox(tier: Tier, maxWaiting: number): Promise<OpenMailbox> {
  const isolation = await createIsolation(await settingsFor(tier, new URL('./pushed.js', import.meta.url)));
  const room = createNotifications({
    consumer: () => isolation.consumer(),
    clock: systemClock,
    report: () => {},
  });
  const mailbox = room.open({
    id: 1,
    context: { client: 'bench', serverId: 'server', era: 'legacy' },
    limits: { maxWaiting, timeout: 60_000 },
    busyTimeout: { notification: 10_000, log: 10_000 },
    killGrace: 0,
    wants: () => true,
    onDropped: () => {},
    onFault: () => {},
  });
  return {
    mailbox,
    async close() {
      await room.close();
      await isolation.close('kill');
    },
  };
}

/** Hands `count` notifications over at once. */
export function pushInto(mailbox: Mailbox, count: number): void {
  for (let n = 0; n < count; n++) mailbox.notify(method, paramsOf(n));
}

/** Resolves when nothing waits; looks once a millisecond, so as not to take part itself. */
export async function drained(mailbox: Mailbox): Promise<void> {
  for (;;) {
    const { running, waiting } = mailbox.stats();
    if (running + waiting === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

/** Each call takes `burst` notifications to the callback and back. */
export function bursts(burst: number): Case[] {
  const check = (done: unknown): boolean => done === burst;
  const worker = (batch: number): Case => ({ name: rawName(batch), open: () => openWorker(burst, batch), check });
  const mailboxes = tiers.map((tier): Case => ({ name: nameOf(tier), open: () => openBursts(tier, burst), check }));
  return [worker(32), worker(1), ...mailboxes];
}

export const rawName = (batch: number): string => `postMessage, ${batch === 1 ? 'singly' : `by ${batch}`}`;

async function openBursts(tier: Tier, burst: number): Promise<Subject> {
  const { mailbox, close } = await openMailbox(tier, burst);
  return {
    async call() {
      const before = mailbox.stats().delivered;
      pushInto(mailbox, burst);
      await drained(mailbox);
      return mailbox.stats().delivered - before;
    },
    close,
  };
}

/** The next message is posted when the last one has come back. */
function openWorker(burst: number, batch: number): Subject {
  const worker = new Worker(new URL('./posted.js', import.meta.url));
  return {
    call: () =>
      new Promise((resolve) => {
        let sent = 0;
        const post = (): void => {
          const size = Math.min(batch, burst - sent);
          worker.postMessage(Array.from({ length: size }, (_, n) => ({ method, params: paramsOf(sent + n) })));
          sent += size;
        };
        let done = 0;
        worker.removeAllListeners('message');
        worker.on('message', (count: number) => {
          done += count;
          if (done < burst) post();
          else resolve(done);
        });
        post();
      }),
    close: async () => void (await worker.terminate()),
  };
}
