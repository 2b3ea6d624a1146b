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
import { type Fault, fault } from '../contract/fault.js';
import type { ThreadSettings } from '../threads.js';
import { type OpeningSettings, openSeat, type SeatEvents } from './opening.js';
import { pauseAfter } from './pause.js';
import type { Rack } from './rack.js';
import type { Seat } from './seat.js';
import type { Undead } from './undead.js';

export interface SparesSettings {
  readonly opening: OpeningSettings;
  readonly threads: ThreadSettings;
  readonly clock: Clock;
  readonly rack: Rack;
  readonly undead: Undead;
  readonly seatEvents: Omit<SeatEvents, 'gone'>;
  /** How many jobs wait for a cell. */
  waiting(): number;
  /** A cell became free. */
  ready(): void;
  /** No cell will come of what was started for those who wait. */
  failed(fault: Fault): void;
}

export interface Spares {
  /** Starts what is lacking. */
  provide(): void;
  /** Its job is over: free again, or ended if it is spent. */
  giveBack(seat: Seat, spent: boolean): void;
  /** It must run nothing more; what runs there goes on. */
  retire(seat: Seat): void;
  /** Loads the module as it is now into a first cell and turns to it; rejects with a {@link Fault} and changes nothing. */
  load(): Promise<Description>;
  /** Which loading of the module cells are started with now. */
  version(): number;
  close(): void;
}

/** Cells beyond need stay this long after a burst. */
const keepIdle = 30_000;

export function createSpares(settings: SparesSettings): Spares {
  const { clock, threads, rack, undead } = settings;
  const { counts } = rack;
  const seatEvents: SeatEvents = { ...settings.seatEvents, gone };
  let version = -1;
  let versions = 0;
  let closed = false;
  let failures = 0;
  let lastFault: Fault | undefined;
  let restUntil = Number.NEGATIVE_INFINITY;
  let cancelRest = () => {};
  let cancelTrim: (() => void) | undefined;
  /** Rejects the loads that somebody waits for. */
  const loads = new Set<(fault: Fault) => void>();

  function provide(): void {
    const waiting = settings.waiting();
    const alive = counts.starting + counts.free + counts.busy;
    const lacking = Math.max(
      Math.min(threads.max, Math.max(threads.min, counts.busy + waiting)) + threads.spares - alive,
      threads.scope === 'server' ? threads.spares - unowned(waiting) : 0,
    );
    // Before the first module is loaded there is nothing to have spares of.
    if (closed || version < 0 || (waiting === 0 && lacking <= 0)) return;
    const needed = waiting - counts.starting;
    const resting = clock.elapsed() < restUntil;
    if (resting && lastFault !== undefined && needed > 0) {
      settings.failed(lastFault);
      return;
    }
    let room = threads.max + threads.spares - alive;
    if (needed > room) room += makeRoom(needed - room);
    const spare = lacking > 0 && counts.starting === 0 && !resting ? 1 : 0;
    start(Math.min(room, Math.max(needed, spare)));
  }

  /** Cells that any server may take, started ones included: with `scope: 'server'` the idle cells of others are no spares. */
  function unowned(waiting: number): number {
    return rack.idle().filter(({ server }) => server === undefined).length + counts.starting - waiting;
  }

  /** Idle cells of other servers give way where the pool is full of them (`scope: 'server'`). */
  function makeRoom(wanted: number): number {
    const leaving = rack.idle().slice(0, wanted);
    for (const seat of leaving) undead.end(seat);
    return leaving.length;
  }

  function start(cells: number): void {
    for (let missing = cells; missing > 0; missing--) {
      open(version, stumble, () => {
        settings.ready();
        provide();
      });
    }
  }

  function open(of: number, failed: (fault: Fault) => void, loaded: (description: Description) => void): void {
    openSeat(settings.opening, of, seatEvents, {
      started: rack.add,
      loaded(seat, description) {
        if (!rack.step(seat, 'loaded')) return;
        if (seat.retiring || closed) undead.end(seat);
        else rack.offer(seat);
        loaded(description);
      },
      failed(seat, found) {
        if (seat !== undefined) undead.end(seat);
        failed(found);
      },
    });
  }

  /** A start failed: whoever waits for it is told, and the next one comes later. */
  function stumble(found: Fault): void {
    rest();
    lastFault = found;
    if (settings.waiting() > counts.starting) settings.failed(found);
  }

  function rest(): void {
    const delay = pauseAfter(failures++);
    restUntil = clock.elapsed() + delay;
    cancelRest();
    if (!closed) cancelRest = clock.after(delay, provide);
  }

  function rested(): void {
    failures = 0;
    lastFault = undefined;
    restUntil = Number.NEGATIVE_INFINITY;
  }

  function retire(seat: Seat): void {
    seat.retiring = true;
    if (seat.state === 'free') undead.end(seat);
  }

  function gone(seat: Seat): void {
    undead.gone(seat);
    provide();
  }

  /** The cells of a burst go after a while, the longest idle first. */
  function trim(): void {
    cancelTrim = undefined;
    const wanted = Math.max(threads.min, counts.busy) + threads.spares;
    const kept = threads.scope === 'server' ? unowned(0) : 0;
    const surplus = counts.starting + counts.busy + counts.free - kept - wanted;
    for (const seat of rack
      .idle()
      .filter(({ server }) => threads.scope !== 'server' || server !== undefined)
      .slice(0, Math.max(0, surplus)))
      undead.end(seat);
  }

  return {
    provide,
    giveBack(seat, spent) {
      seat.completed++;
      if (failures > 0) rested();
      if (spent || seat.retiring || closed) undead.end(seat);
      else if (rack.step(seat, 'answered')) {
        rack.offer(seat);
        cancelTrim ??= clock.after(keepIdle, trim);
      }
    },
    retire(seat) {
      // Nobody asked it anything yet: the module itself is at fault, and the next cell will be no better.
      if (seat.completed === 0 && seat.job === undefined) rest();
      retire(seat);
      provide();
    },
    async load() {
      if (closed) throw wasClosed();
      const next = versions++;
      let givenUp!: (fault: Fault) => void;
      const loading = new Promise<Description>((resolve, reject) => {
        givenUp = reject;
        loads.add(reject);
        open(next, reject, resolve);
      });
      const description = await loading.finally(() => loads.delete(givenUp));
      version = next;
      for (const seat of [...rack.seats]) if (seat.version !== next) retire(seat);
      rested();
      provide();
      return description;
    },
    version: () => version,
    close() {
      closed = true;
      cancelRest();
      cancelTrim?.();
      for (const seat of [...rack.seats]) undead.end(seat);
      for (const giveUp of loads) giveUp(wasClosed());
    },
  };
}

const wasClosed = (): Fault => fault('LoadError', 'the bulkhead was closed');
