/**
 * How many requests of one connection may run at once (behaviour 21). Legacy requests take a slot or are refused; the entries of a
 * modern round wait for one in order (behaviour 25). A slot is given back once: when the answer is sent or the kill is asked for.
 */
export interface Slots {
  readonly taken: number;
  /** How many wait for one. */
  readonly waiting: number;
  /** A function that gives the slot back, or undefined where none is free. */
  take(): (() => void) | undefined;
  /** Waits for a slot; `quit` leaves the queue, or gives back what was granted meanwhile. */
  wait(): { readonly taken: Promise<() => void>; quit(): void };
}

export function createSlots(limit: number): Slots {
  let taken = 0;
  const waiting: ((give: () => void) => void)[] = [];

  function grant(): () => void {
    taken++;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      taken--;
      const next = waiting.shift();
      if (next !== undefined) next(grant());
    };
  }

  return {
    get taken() {
      return taken;
    },
    get waiting() {
      return waiting.length;
    },
    take: () => (taken < limit ? grant() : undefined),
    wait() {
      let waiter: (give: () => void) => void = () => {};
      const granted = new Promise<() => void>((resolve) => {
        waiter = resolve;
      });
      if (taken < limit) waiter(grant());
      else waiting.push(waiter);
      return {
        taken: granted,
        quit() {
          const at = waiting.indexOf(waiter);
          if (at >= 0) waiting.splice(at, 1);
          else void granted.then((give) => give());
        },
      };
    },
  };
}
