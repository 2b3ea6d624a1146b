/**
 * Bounds on what a server sent, judged before anything recursive touches it: `JSON.stringify`, a structured clone and a
 * schema walk all cost what the value is large, and a value 10 000 levels deep overflows a stack.
 *
 * The walk holds its own stack, reads no string, and stops at the first bound that is passed.
 */
export interface SizeBounds {
  readonly depth: number;
  /** Values, containers included. */
  readonly nodes: number;
  /** UTF-16 units of all strings and keys, and one for each value. Never more than the bytes of the JSON. */
  readonly size: number;
}

export type Oversize = 'deep' | 'large';

export function oversize(value: unknown, bounds: SizeBounds): Oversize | undefined {
  let size = 0;
  let nodes = 1;
  const waiting: unknown[] = [value];
  const levels: number[] = [0];
  while (waiting.length > 0) {
    const next = waiting.pop();
    const level = levels.pop() as number;
    size += typeof next === 'string' ? next.length + 1 : 1;
    if (typeof next === 'object' && next !== null) {
      if (level >= bounds.depth) return 'deep';
      const names = Array.isArray(next) ? none : Object.keys(next);
      const members = Array.isArray(next) ? next : Object.values(next);
      nodes += members.length;
      if (nodes > bounds.nodes) return 'large';
      for (const name of names) size += name.length;
      for (const member of members) {
        waiting.push(member);
        levels.push(level + 1);
      }
    }
    if (size > bounds.size) return 'large';
  }
  return undefined;
}

const none: readonly string[] = [];
