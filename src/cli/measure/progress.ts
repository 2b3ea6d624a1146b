/**
 * One line on stderr that says what is being measured now. On a terminal it rewrites itself; elsewhere it is printed at
 * most every few seconds, so that a log stays readable and a long silence never looks like a hang.
 */
export type Progress = (text: string) => void;

const quietTime = 5000;

/** Call the result with '' when done. */
export function openProgress(stream: NodeJS.WriteStream = process.stderr, now: () => number = Date.now): Progress {
  let printed = Number.NEGATIVE_INFINITY;
  const interval = stream.isTTY ? 80 : quietTime;
  return (text) => {
    if (text === '') {
      if (stream.isTTY) stream.write('\r\x1b[K');
      return;
    }
    if (now() - printed < interval) return;
    printed = now();
    stream.write(stream.isTTY ? `\r\x1b[K${text.slice(0, (stream.columns ?? 80) - 1)}` : `${text}\n`);
  };
}
