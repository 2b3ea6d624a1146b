/**
 * Bounds on what a server sent, judged before anything recursive touches it: `JSON.stringify`, a structured clone and a
 * schema walk all cost what the value is large, and a value 10 000 levels deep overflows a stack.
 *
 * The walk holds its own stack, reads no string, and stops at the first bound that is passed.
 */
export interface SizeBounds {
  readonly depth: number;
  /** UTF-16 units of all strings and keys, and one for each value. Never more than the bytes of the JSON. */
  readonly size: number;
}

export type Oversize = 'deep' | 'large';

export function oversize(value: unknown, bounds: SizeBounds): Oversize | undefined {
  let size = 0;
  const waiting: unknown[] = [value];
  const levels: number[] = [0];
  while (waiting.length > 0) {
    const next = waiting.pop();
    const level = levels.pop() as number;
    size += typeof next === 'string' ? next.length + 1 : 1;
    if (typeof next === 'object' && next !== null) {
      if (level >= bounds.depth) return 'deep';
      size += push(next, level + 1, waiting, levels, bounds.size);
    }
    if (size + waiting.length > bounds.size) return 'large';
  }
  return undefined;
}

/** Puts the members on the stack, unless there are too many; the return is what their names add. */
function push(container: object, level: number, waiting: unknown[], levels: number[], limit: number): number {
  const names = Array.isArray(container) ? null : Object.keys(container);
  const members = names === null ? (container as readonly unknown[]) : Object.values(container);
  if (members.length > limit) return members.length;
  for (const member of members) {
    waiting.push(member);
    levels.push(level);
  }
  return names === null ? 0 : names.reduce((sum, name) => sum + name.length, 0);
}
