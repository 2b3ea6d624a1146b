/** `Date` with a clock: `Date.now()`, `new Date()`, `Date()`. Its instances are those of the shared, frozen `Date`. */
const Shared = Date;
const now = Date.now;

export function clockGlobals(): { Date: unknown } {
  function Granted(...parts: unknown[]): unknown {
    const target = new.target as unknown as (new () => unknown) | undefined;
    if (target === undefined) return new Shared(now()).toString();
    return Reflect.construct(Shared, parts.length === 0 ? [now()] : parts, target);
  }
  Object.defineProperties(Granted, {
    name: { value: 'Date' },
    length: { value: 7 },
    prototype: { value: Shared.prototype, writable: false },
    now: { value: () => now() },
    parse: { value: (text: unknown) => Shared.parse(String(text)) },
    UTC: { value: (...parts: number[]) => Shared.UTC(...(parts as [number])) },
  });
  return { Date: Granted };
}
