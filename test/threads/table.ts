/**
 * The containment table: what a callback may do to a host in the `thread` tier, and what comes of it. Every row is run for real in
 * a child process; nothing here is written by hand but the misbehaviour and what is expected of the host.
 *
 * Run as a script it prints the table as Markdown, or writes it between the markers of the file it is given.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { playRows } from './play.js';
import type { RowSetting, Seen } from './row.js';

export interface Row extends RowSetting {
  /** In words, for the table. */
  readonly does: string;
  /** What the server must get. */
  readonly server: 'result' | '-32603';
  /** What the host must see, at least. */
  readonly host: RegExp;
  /** It takes seconds, or may take the process along: a child of its own. */
  readonly alone?: true;
  /** No thread contains it. The host may die, and the row says so. */
  readonly notPromised?: true;
}

const failed = '-32603';
/** Only what must be killed has a short deadline: on a busy machine an honest answer may take its time. */
const limits = { handlerTimeout: 250 };
const timeout = { server: failed, host: /^killed, timeout/, limits } as const;
const answered = { server: 'result', host: /^answered/ } as const;
const unplain = { server: failed, host: /^failed, result, ResultError: expected plain data at "\/content/ } as const;
const tooLarge = { server: failed, host: /^failed, size, ResultError/ } as const;
const flood = { server: failed, host: /^killed, flood/ } as const;
const threw = (text: string): Pick<Row, 'server' | 'host'> => ({ server: failed, host: new RegExp(`^failed, threw, ${text}`) });
const exits = (code: number): Pick<Row, 'server' | 'host'> => ({
  server: failed,
  host: new RegExp(`^failed, exit, .*code ${code}$`),
});
const stray = (text: string) =>
  ({ server: 'result', host: new RegExp(`^answered; stray of hostile: ${text}`), beside: true }) as const;
const undead = { server: failed, host: /^killed, timeout; undead thread/, settle: 400, alone: true, limits } as const;
const bomb = {
  server: failed,
  host: /^killed, memory/,
  limits: { handlerTimeout: 40_000 },
  threads: { memoryBudget: 128 * 2 ** 20 },
  alone: true,
} as const;

export const rows: readonly Row[] = [
  { act: 'loop', does: 'loops for ever', ...timeout },
  { act: 'microtasks', does: 'loops for ever over microtasks', ...timeout },
  { act: 'ticks', does: 'loops for ever over `process.nextTick`', ...timeout },
  { act: 'immediates', does: 'loops for ever over `setImmediate`', ...timeout },
  { act: 'pending', does: 'never settles', ...timeout },
  { act: 'thenable', does: 'returns a thenable that never settles', ...timeout },
  { act: 'atomics', does: 'sleeps in `Atomics.wait`', ...timeout },
  { act: 'regex', does: 'runs a catastrophic regular expression', ...timeout },
  { act: 'bigint', does: 'computes a BigInt of a hundred million digits', ...timeout },
  { act: 'sort', does: 'sorts five million numbers with a comparator', ...timeout },
  { act: 'wasm', does: 'loops for ever in WebAssembly', ...timeout },
  { act: 'getterLoop', does: 'returns an object whose getter loops for ever', ...timeout },
  {
    act: 'loop',
    does: 'loops for ever, with a `busyTimeout` below its deadline',
    server: failed,
    host: /^killed, busy/,
    limits: { handlerTimeout: 60_000, busyTimeout: 200 },
  },
  { act: 'exec', does: 'blocks in `execSync` for two seconds', ...undead },
  { act: 'pbkdf2', does: 'blocks in a native call for seconds', ...undead },
  { act: 'parse', does: 'loops for ever around one slow builtin', server: failed, host: /^killed, timeout/, alone: true, limits },

  { act: 'throwError', does: 'throws', ...threw('RangeError: far') },
  { act: 'throwUndefined', does: 'throws `undefined`', ...threw('Thrown: undefined') },
  { act: 'throwProxy', does: 'throws a proxy that throws when it is looked at', ...threw('Thrown: ') },
  { act: 'reject', does: 'rejects with a symbol', ...threw('Thrown: Symbol') },
  { act: 'overflow', does: 'overflows the stack', ...threw('RangeError: Maximum call stack') },
  { act: 'timerThrows', does: 'throws in a timer while it is awaited', ...threw('Error: in a timer') },
  { act: 'rejectionUnseen', does: 'leaves a rejection unhandled while it is awaited', ...threw('Error: unseen') },
  {
    act: 'unguarded',
    does: "removes the runner's error listeners, then throws",
    server: failed,
    host: /^failed, lost, Error: nobody/,
  },
  { act: 'exit', does: 'calls `process.exit(0)`', ...exits(0) },
  { act: 'exitCode', does: 'calls `process.exit(7)`', ...exits(7) },
  { act: 'reallyExit', does: 'calls `process.reallyExit(3)`', ...exits(3) },
  { act: 'abort', does: 'calls `process.abort()`', ...threw('TypeError: process.abort') },
  { act: 'chdir', does: 'calls `process.chdir()`', ...threw('TypeError: process.chdir') },
  { act: 'closePort', does: "closes the thread's own port", ...answered },

  { act: 'nothing', does: 'returns `undefined`', server: failed, host: /^failed/ },
  { act: 'text', does: 'returns a string', server: failed, host: /^failed/ },
  { act: 'callbackInside', does: 'returns a function', ...unplain },
  { act: 'symbolInside', does: 'returns a symbol', ...unplain },
  { act: 'bigintInside', does: 'returns a BigInt', ...unplain },
  { act: 'mapInside', does: 'returns a `Map`', ...unplain },
  { act: 'dateInside', does: 'returns a `Date`', ...unplain },
  { act: 'instanceInside', does: 'returns an instance of a class', ...unplain },
  { act: 'cycleInside', does: 'returns a cycle', ...unplain },
  { act: 'getterInside', does: 'returns an object whose getter throws', ...unplain },
  { act: 'proxyInside', does: 'returns a revoked proxy', ...unplain },
  { act: 'protoInside', does: 'returns a key named `__proto__`', ...unplain },
  { act: 'deep', does: 'returns a hundred thousand levels', ...unplain },
  { act: 'endless', does: 'returns an array of four billion holes', ...unplain },
  { act: 'large', does: 'returns 2 MiB', ...tooLarge },
  { act: 'huge', does: 'returns a string of 256 MiB', ...tooLarge },
  { act: 'settlesTwice', does: 'settles twice and then throws', ...answered },
  { act: 'forgedRefusal', does: 'returns a malformed refusal', server: failed, host: /^failed, refusal/ },

  { act: 'forged', does: 'posts a message of its own', ...flood },
  { act: 'forgedNull', does: 'posts `null`', ...flood },
  { act: 'messages', does: 'posts messages without end', ...flood },
  { act: 'largeMessages', does: 'posts messages of 1 MiB without end', ...flood, alone: true },
  { act: 'calls', does: 'calls a host service without end, awaiting nothing', ...timeout },
  { act: 'callsAwaited', does: 'calls a host service without end', ...threw('RangeError: .*more than 1000 calls') },
  { act: 'largeCalls', does: 'calls a host service with 4 MiB', ...threw('TypeError: .*more data than allowed') },
  { act: 'lines', does: 'prints ten thousand lines', server: 'result', host: /^answered; 101 lines printed/ },
  { act: 'longLine', does: 'prints one line of 64 MiB', server: 'result', host: /^answered; 1 lines printed/ },
  { act: 'descriptor', does: 'writes to descriptor 1', server: 'result', host: /^answered; 2 lines printed/ },
  { act: 'printForEver', does: 'prints for ever', ...timeout },

  { act: 'lateThrow', does: 'has answered; throws in a timer while another server is being answered', ...stray('late throw') },
  { act: 'lateReject', does: 'has answered; a promise rejects late', ...stray('late rejection') },
  { act: 'lateAsync', does: 'has answered; a continuation throws late', ...stray('late continuation') },
  { act: 'lateExit', does: 'has answered; exits late', ...stray('process.exit') },
  { act: 'lateLoop', does: 'has answered; loops for ever', ...stray('the thread was still busy'), settle: 1300 },
  { act: 'lateCall', does: 'has answered; calls a host service', ...answered, beside: true },
  { act: 'lateState', does: 'has answered; sets the state', ...answered, beside: true },
  { act: 'latePrint', does: 'has answered; prints', server: 'result', host: /^answered; 1 lines printed/, beside: true },
  { act: 'interval', does: 'has answered; leaves an interval running', ...answered, beside: true },

  { act: 'secret', does: 'reads the environment', ...answered },
  { act: 'pollution', does: 'pollutes `Object.prototype`, `Array.prototype`', ...answered },
  { act: 'sabotage', does: 'replaces `JSON.stringify`', ...answered },

  { act: 'smallObjects', does: 'keeps small objects without end', ...bomb },
  { act: 'numbers', does: 'grows one array without end', ...bomb },
  { act: 'map', does: 'grows one `Map` without end', ...bomb },
  { act: 'keys', does: 'grows one object without end', ...bomb },
  { act: 'strings', does: 'keeps strings without end', ...bomb },
  { act: 'doubling', does: 'doubles an array by spreading it', ...bomb },
  { act: 'matches', does: 'keeps the matches of a long text', ...bomb },
  { act: 'bytes', does: 'keeps typed arrays without end', ...bomb },
  { act: 'buffers', does: 'keeps `Buffer`s without end', ...bomb },
  { act: 'wasmMemory', does: 'keeps WebAssembly memories without end', ...bomb },
  { act: 'oneArray', does: 'fills arrays of 2^27 items', ...bomb, notPromised: true },
  { act: 'oneBuiltin', does: 'allocates gigabytes in one builtin', ...bomb, notPromised: true },
  { act: 'killProcess', does: 'kills its own process', server: failed, host: /./, alone: true, notPromised: true },
];

/** Whether a row came out as it must. */
export function holds(row: Row, seen: Seen | undefined): boolean {
  return seen !== undefined && seen.server === row.server && row.host.test(seen.host) && seen.next === 'result';
}

export function markdown(played: readonly (readonly [Row, Seen | undefined])[]): string {
  const lines = played.map(([row, seen]) => {
    if (seen === undefined) return `| ${row.does} | - | - | **died** | - |`;
    const server = seen.server === 'result' ? 'an answer' : `\`${seen.server}\``;
    return `| ${row.does} | ${server} | ${cell(seen.host)} | lived | ${seen.next === 'result' ? 'yes' : '**no**'} |`;
  });
  const head = ['| the callback | the server got | the host saw | the host | next callback answered |', '|---|---|---|---|---|'];
  return [...head, ...lines].join('\n');
}

function cell(text: string): string {
  const short = text.length > 110 ? `${text.slice(0, 107)}...` : text;
  return short.replaceAll('|', '\\|');
}

const begin = '<!-- containment:begin -->';
const end = '<!-- containment:end -->';

async function main(file: string | undefined): Promise<void> {
  const table = markdown(await playRows(rows));
  if (file === undefined) {
    process.stdout.write(`${table}\n`);
    return;
  }
  const text = readFileSync(file, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${file} has no "${begin}" and "${end}"`);
  writeFileSync(file, `${text.slice(0, from + begin.length)}\n${table}\n${text.slice(to)}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv[2]);
