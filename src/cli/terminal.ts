/**
 * Where the command line writes: lines to stdout and stderr, as wide as the terminal (100 columns at most), with colours only
 * where a person looks. Commands are handed one and never touch `process.stdout`, so that tests can read what was printed.
 */
import picocolors from 'picocolors';

export type Paint = ReturnType<typeof picocolors.createColors>;

export interface Terminal {
  /** Writes one line (or several) to stdout. */
  print(text?: string): void;
  /** Writes one line to stderr. */
  warn(text: string): void;
  readonly columns: number;
  readonly paint: Paint;
  /** What the process ends with: 0 until a command says otherwise. */
  exitCode: number;
}

const widest = 100;

/** The terminal of this process. Colours: only on a TTY, never with `NO_COLOR`. */
export function processTerminal(): Terminal {
  const { stdout, stderr } = process;
  for (const stream of [stdout, stderr]) stream.on('error', ignoreLostReader);
  const colours = stdout.isTTY === true && (process.env.NO_COLOR ?? '') === '' && process.env.TERM !== 'dumb';
  return {
    print: (text = '') => void stdout.write(`${text}\n`),
    warn: (text) => void stderr.write(`${text}\n`),
    columns: Math.min(stdout.columns ?? widest, widest),
    paint: picocolors.createColors(colours),
    exitCode: 0,
  };
}

/** A reader such as `head` may leave early; that is no reason to stop in the middle, nor to print a stack. */
function ignoreLostReader(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
