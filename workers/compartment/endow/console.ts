/** `console`: five closures that turn what they get into one capped line. They never throw and return nothing. */

/** Where a plugin's lines go. */
export type Print = (stream: 'stdout' | 'stderr', line: string) => void;

const longestLine = 4096;

const streams = { debug: 'stdout', log: 'stdout', info: 'stdout', warn: 'stderr', error: 'stderr' } as const;

export function consoleGlobals(print: Print): { console: object } {
  const methods = Object.entries(streams).map(([name, stream]) => [
    name,
    (...values: unknown[]): void => print(stream, values.map(spell).join(' ').slice(0, longestLine)),
  ]);
  return { console: Object.fromEntries(methods) };
}

/** Whatever a value does when it is looked at, the answer is a short string. */
function spell(value: unknown): string {
  try {
    if (typeof value === 'string') return value.slice(0, longestLine);
    if (value instanceof Error) return `${value.name}: ${value.message}`.slice(0, longestLine);
    const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
    return `${text}`.slice(0, longestLine);
  } catch {
    return '[unprintable]';
  }
}
