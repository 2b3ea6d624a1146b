/**
 * Keeps cells started and loaded ahead of need.
 *
 * There are always as many free cells as `threads.spares` beyond what runs, up to `threads.max`, so that a kill or a further
 * request finds a loaded one. Cells that others need start at once; spares start one after the other, so that they do not fight
 * with what runs. Invariant: a module that does not load, or cells that end before they answered anything, slow starting down
 * (0.1 to 5 s) and never spin.
 */
import type { Clock } from '../clock.js';
import type { Description } from '../contract/describe.js';
import { type Fault, fault, toFault } from '../contract/fault.js';
import { type Reply, readReply, runnerLimits } from '../contract/messages.js';
import type { ThreadSettings } from '../threads.js';
import type { Carrier, Death } from './cell.js';
import { createSeat, move, type Seat } from './seat.js';
import type { Undead } from './undead.js';

export interface SparesSettings {
  readonly carrier: Carrier;
  readonly url: string;
  readonly services: readonly string[];
  readonly threads: ThreadSettings;
  readonly clock: Clock;
  readonly loadTimeout: number;
  readonly undead: Undead;
  /** How many jobs wait for a cell. */
  waiting(): number;
  /** A cell became free. */
  ready(): void;
  /** No cell will come of the waiting jobs' starts. */
  failed(fault: Fault): void;
  hear(seat: Seat, data: unknown): void;
  violated(seat: Seat): void;
  /** A cell that was running, free or loaded ended on its own. */
  died(seat: Seat, death: Death): void;
}

export interface Spares {
  readonly seats: ReadonlySet<Seat>;
  /** Takes a free cell for a server. */
  take(serverId: string): Seat | undefined;
  /** Its job is over: free again, or ended if it is spent. */
  giveBack(seat: Seat, spent: boolean): void;
  end(seat: Seat): void;
  /** It must run nothing more; what runs there goes on. */
  retire(seat: Seat): void;
  /** Starts what is lacking. */
  provide(): void;
  counts(): { readonly starting: number; readonly free: number; readonly busy: number };
  /** Loads the module as it is now into a first cell; rejects with a {@link Fault} and changes nothing. */
  load(): Promise<Description>;
  close(): void;
}

const keepIdle = 30_000;
const firstBackoff = 100;
const longestBackoff = 5000;

export function createSpares(settings: SparesSettings): Spares {
  const { carrier, clock, threads, undead } = settings;
  const seats = new Set<Seat>();
  let free: Seat[] = [];
  let version = 0;
  let latest = 0;
  let closed = false;
  let failures = 0;
  let lastFault: Fault | undefined;
  let retryAt = Number.NEGATIVE_INFINITY;
  let cancelRetry = () => {};
  let cancelTrim: (() => void) | undefined;

  function counts(): { starting: number; free: number; busy: number } {
    const found = { starting: 0, free: 0, busy: 0 };
    for (const { state, retiring } of seats) {
      if (state === 'busy') found.busy++;
      else if (!retiring && (state === 'starting' || state === 'free')) found[state]++;
    }
    return found;
  }

  // ---- starting

  function provide(): void {
    if (closed) return;
    const { starting, free: idle, busy } = counts();
    const waiting = settings.waiting();
    const wanted = Math.min(threads.max, Math.max(threads.min, busy + waiting)) + threads.spares;
    let lacking = wanted - (starting + idle + busy);
    const needed = waiting - starting;
    if (needed > lacking) lacking += makeRoom(needed - lacking);
    const resting = clock.elapsed() < retryAt;
    if (needed > 0 && resting && lastFault !== undefined) {
      settings.failed(lastFault);
      return;
    }
    const spare = starting === 0 && !resting ? 1 : 0;
    for (let missing = Math.min(lacking, Math.max(needed, spare)); missing > 0; missing--) start();
  }

  /** Idle cells of other servers give way where the pool is full of them (`scope: 'server'`). */
  function makeRoom(wanted: number): number {
    const leaving = free.slice(0, wanted);
    for (const seat of leaving) end(seat);
    return leaving.length;
  }

  function start(): void {
    open(version, (outcome) => {
      if (outcome.ok) {
        settings.ready();
        provide();
      } else stumble(outcome.fault);
    });
  }

  type Opened = { readonly ok: true; readonly description: Description } | { readonly ok: false; readonly fault: Fault };

  /** Starts one cell and loads the module in it. `done` is called once, unless the cell is ended meanwhile. */
  function open(of: number, done: (opened: Opened) => void): void {
    let seat: Seat;
    let told = false;
    function tell(opened: Opened): void {
      if (told) return;
      told = true;
      done(opened);
    }
    function fail(found: Fault): void {
      end(seat);
      tell({ ok: false, fault: found });
    }
    try {
      const cell = carrier.start({
        message: (data) => settings.hear(seat, data),
        violated: () =>
          seat.state === 'starting' ? fail(fault('LoadError', 'it sent messages of its own')) : settings.violated(seat),
        died: (death) => (seat.state === 'starting' ? fail(deathWhileLoading(death)) : settings.died(seat, death)),
        gone: () => gone(seat),
      });
      seat = createSeat(cell, of);
      seats.add(seat);
      const { url, services, loadTimeout } = settings;
      seat.disarm = clock.after(loadTimeout, () => fail(fault('LoadError', `it did not load within ${loadTimeout} ms`)));
      cell.run({ type: 'load', url, services, version: of, limits: runnerLimits }, (data) => {
        const reply = readReply(data, runnerLimits);
        if (reply?.type !== 'loaded') return fail(faultOf(reply));
        seat.disarm();
        seat.threadId = cell.threadId;
        if (!move(seat, 'loaded')) return;
        if (seat.retiring || closed) end(seat);
        else free.push(seat);
        tell({ ok: true, description: reply.description });
      });
    } catch (thrown) {
      tell({ ok: false, fault: toFault(thrown) });
    }
  }

  // ---- failing

  /** A start failed: whoever waits for it is told, and the next one comes later. */
  function stumble(found: Fault): void {
    backOff();
    lastFault = found;
    if (settings.waiting() > counts().starting) settings.failed(found);
  }

  function backOff(): void {
    const delay = Math.min(longestBackoff, firstBackoff * 2 ** failures++);
    retryAt = clock.elapsed() + delay;
    cancelRetry();
    if (!closed) cancelRetry = clock.after(delay, provide);
  }

  // ---- ending

  function end(seat: Seat): void {
    free = free.filter((other) => other !== seat);
    undead.end(seat);
  }

  function gone(seat: Seat): void {
    seats.delete(seat);
    free = free.filter((other) => other !== seat);
    undead.gone(seat);
    provide();
  }

  /** Cells of a burst go after a while, the longest idle first. */
  function trim(): void {
    cancelTrim = undefined;
    const { starting, busy } = counts();
    const wanted = Math.max(threads.min, busy) + threads.spares;
    for (const seat of free.slice(0, Math.max(0, starting + busy + free.length - wanted))) end(seat);
  }

  return {
    seats,
    counts,
    provide,
    end,
    take(serverId) {
      const found = free.findLast(({ server }) => server === serverId) ?? free.findLast(({ server }) => server === undefined);
      const seat = threads.scope === 'server' ? found : free.at(-1);
      if (seat === undefined) return undefined;
      free.splice(free.indexOf(seat), 1);
      move(seat, 'taken');
      seat.server = serverId;
      return seat;
    },
    giveBack(seat, spent) {
      seat.completed++;
      failures = 0;
      lastFault = undefined;
      if (spent || seat.retiring || closed) return end(seat);
      if (!move(seat, 'answered')) return;
      free.push(seat);
      cancelTrim ??= clock.after(keepIdle, trim);
    },
    retire(seat) {
      seat.retiring = true;
      if (seat.completed === 0) backOff();
      if (seat.state === 'free') end(seat);
    },
    async load() {
      const next = latest++;
      const description = await new Promise<Description>((resolve, reject) => {
        open(next, (opened) => (opened.ok ? resolve(opened.description) : reject(opened.fault)));
      });
      for (const seat of [...seats]) {
        if (seat.version === next) continue;
        seat.retiring = true;
        if (seat.state === 'free') end(seat);
      }
      version = next;
      failures = 0;
      lastFault = undefined;
      retryAt = Number.NEGATIVE_INFINITY;
      provide();
      return description;
    },
    close() {
      closed = true;
      cancelRetry();
      cancelTrim?.();
      for (const seat of [...seats]) if (seat.state !== 'dying') end(seat);
    },
  };
}

function deathWhileLoading({ reason, fault: found }: Death): Fault {
  return reason === 'exit' ? fault('ExitError', `${found.message} while loading`) : found;
}

function faultOf(reply: Reply | undefined): Fault {
  return reply?.type === 'crashed' ? reply.fault : fault('LoadError', 'it answered nothing that could be read');
}
