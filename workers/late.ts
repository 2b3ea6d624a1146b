/**
 * What happens outside a callback's promise: throws and rejections that nobody catches, and exits.
 *
 * Each is traced to the callback that started it, through async context. While that callback still runs, it fails; after it has
 * ended, the failure is reported as stray under its own run and the thread goes on, since another callback may be running here.
 * Invariant: nothing a finished callback left behind ends this thread, and it reports no more than so many: a timer that fails for
 * ever would drown the host.
 */
import type { Act } from '../src/contract/act.js';
import { type Fault, fault, toFault } from '../src/contract/fault.js';
import { runnerLimits } from '../src/contract/messages.js';

export interface Blame {
  /** The callback in whose async context this code runs. */
  current(): Act | undefined;
  /** Whether any callback is running here now. */
  busy(): boolean;
  stray(run: number | null, fault: Fault): void;
  /** The running callback failed outside its promise. */
  fell(run: number, fault: Fault): void;
}

/** Unwinds the stack of a late `process.exit()`, which must not return. */
class LateExit extends Error {}

export function watchLateFailures({ current, busy, stray, fell }: Blame): void {
  let strays = 0;
  function report(run: number | null, thrown: unknown): void {
    strays++;
    if (strays <= runnerLimits.strays) stray(run, toFault(thrown));
    if (strays === runnerLimits.strays + 1) stray(run, fault('StrayError', 'further late failures of this thread are left out'));
  }

  function blame(thrown: unknown): void {
    if (thrown instanceof LateExit) return;
    const act = current();
    if (act === undefined || act.ended) report(act?.run ?? null, thrown);
    else fell(act.run, toFault(thrown));
  }
  process.on('uncaughtException', blame);
  process.on('unhandledRejection', blame);

  function lateExit(code: unknown): void {
    // Without a listener Node is on its way out of a fatal error, and must not be stopped there.
    if (process.listenerCount('uncaughtException') === 0) return;
    const act = current();
    const late = act === undefined ? busy() : act.ended;
    if (!late) return;
    report(act?.run ?? null, fault('ExitError', `process.exit(${String(code ?? '')}) after the callback had ended`));
    throw new LateExit();
  }
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    lateExit(code);
    return exit(code);
  };
}
