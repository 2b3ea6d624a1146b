/**
 * What a callback prints goes to the host as lines over the port, never to a file descriptor: the host's stdout may be a
 * JSON-RPC pipe (case 116).
 *
 * Replaces `process.stdout`, `process.stderr` (and with them `console`) and the `fs` calls that write to descriptors 1 and 2.
 * Keeps so many lines of a callback and counts the rest. Out of reach: native addons, child processes that inherit the
 * descriptors, and paths such as `/dev/stdout`.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { Writable } from 'node:stream';
import type { FromRunner, RunnerLimits } from '../src/contract/messages.js';

export type Stream = 'stdout' | 'stderr';

/** Whoever prints: lines are counted here. */
export interface Printer {
  readonly run: number | null;
  lines: number;
}

export interface Output {
  /** Reports how many lines were left out, when a callback ends. */
  close(printer: Printer): void;
}

export function captureOutput(
  limits: RunnerLimits,
  send: (message: FromRunner) => void,
  current: () => Printer | undefined,
): Output {
  const nobody: Printer = { run: null, lines: 0 };
  const open = { stdout: '', stderr: '' };

  function print(stream: Stream, line: string): void {
    const printer = current() ?? nobody;
    printer.lines++;
    if (printer.lines > limits.lines) return;
    send({ type: 'output', run: printer.run, stream, line: line.slice(0, limits.lineLength) });
  }

  function flush(stream: Stream): void {
    if (open[stream] === '') return;
    print(stream, open[stream]);
    open[stream] = '';
  }

  /** Whole lines leave at once; a rest without a line break leaves at the end of this turn of the loop. */
  function write(stream: Stream, text: string): void {
    const lines = (open[stream] + text.slice(0, limits.lines * limits.lineLength)).split('\n');
    open[stream] = (lines.pop() ?? '').slice(0, limits.lineLength);
    for (const line of lines) print(stream, line);
    if (open[stream] !== '') setImmediate(flush, stream);
  }

  replaceStreams(write);
  replaceFileCalls(write);
  return {
    close(printer) {
      const more = printer.lines - limits.lines;
      if (more > 0) send({ type: 'output', run: printer.run, stream: 'stderr', line: `(${more} more lines left out)` });
    },
  };
}

type Write = (stream: Stream, text: string) => void;

/** Made when first touched: most callbacks print nothing, and a stream costs more than the rest of the start. */
function replaceStreams(write: Write): void {
  for (const stream of ['stdout', 'stderr'] as const) {
    let made: Writable | undefined;
    Object.defineProperty(process, stream, {
      configurable: true,
      enumerable: true,
      get: () => {
        made ??= new Writable({
          decodeStrings: false,
          write(chunk, _, done) {
            write(stream, String(chunk));
            done();
          },
        });
        return made;
      },
    });
  }
}

type Call = (...args: unknown[]) => unknown;

function streamOf(target: unknown): Stream | undefined {
  if (target === 1) return 'stdout';
  return target === 2 ? 'stderr' : undefined;
}

function replaceFileCalls(write: Write): void {
  const calls = fs as unknown as { [name: string]: Call };
  for (const name of ['writeSync', 'writevSync', 'writeFileSync', 'appendFileSync']) {
    replace(calls, name, (stream, data) => {
      write(stream, textOf(data));
      return sizeOf(data);
    });
  }
  for (const name of ['write', 'writev', 'writeFile', 'appendFile']) {
    replace(calls, name, (stream, data, rest) => {
      write(stream, textOf(data));
      const done = rest.at(-1);
      if (typeof done === 'function') setImmediate(() => done(null, sizeOf(data), data));
      return undefined;
    });
  }
  syncBuiltinESMExports();
}

function replace(
  calls: { [name: string]: Call },
  name: string,
  instead: (stream: Stream, data: unknown, rest: unknown[]) => unknown,
) {
  const original = calls[name] as Call;
  const captured: Call = (target, data, ...rest) => {
    const stream = streamOf(target);
    return stream === undefined ? original(target, data, ...rest) : instead(stream, partOf(data, rest), rest);
  };
  // `util.promisify` finds on the original what its callback is called with.
  calls[name] = Object.defineProperties(captured, Object.getOwnPropertyDescriptors(original));
}

/** What of a buffer is meant: `write(1, buffer, offset, length)` may name a part, in two ways. */
function partOf(data: unknown, [first, second]: unknown[]): unknown {
  if (!ArrayBuffer.isView(data)) return data;
  const named = typeof first === 'object' && first !== null ? first : { offset: first, length: second };
  const { offset, length } = named as { offset?: unknown; length?: unknown };
  const from = typeof offset === 'number' ? offset : 0;
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  return bytes.subarray(from, typeof length === 'number' ? from + length : undefined);
}

function textOf(data: unknown): string {
  if (Array.isArray(data)) return data.map(textOf).join('');
  return ArrayBuffer.isView(data) ? Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString() : String(data);
}

/** In bytes, whatever they are: who wrote them writes on from there. */
function sizeOf(data: unknown): number {
  if (Array.isArray(data)) return data.reduce((size: number, part) => size + sizeOf(part), 0);
  return ArrayBuffer.isView(data) ? data.byteLength : Buffer.byteLength(String(data));
}
