/**
 * A first-in, first-out line that may be long: leaving it costs the same however many wait. (`Array.shift` moves all that is left,
 * which at 20 000 costs more than the notification itself.)
 */
export interface Line<T> {
  readonly length: number;
  push(item: T): void;
  /** The item so many places behind the first. */
  at(index: number): T | undefined;
  slice(from: number, to: number): readonly T[];
  /** Takes out the item at `index`; the first one cheaply. */
  remove(index: number): T | undefined;
  /** Keeps the first `length`. */
  cut(length: number): void;
}

/** Places given up at the front before the array is moved together. */
const slack = 256;

export function createLine<T>(): Line<T> {
  let places: (T | undefined)[] = [];
  let front = 0;

  function leave(): T | undefined {
    const first = places[front];
    places[front] = undefined;
    front++;
    if (front > slack && front * 2 > places.length) {
      places = places.slice(front);
      front = 0;
    }
    return first;
  }

  return {
    get length() {
      return places.length - front;
    },
    push: (item) => void places.push(item),
    at: (index) => places[front + index],
    slice: (from, to) => places.slice(front + from, front + to) as T[],
    remove: (index) => (index === 0 ? leave() : places.splice(front + index, 1)[0]),
    cut(length) {
      places.length = Math.min(places.length, front + length);
    },
  };
}
