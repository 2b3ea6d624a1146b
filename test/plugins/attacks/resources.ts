/**
 * Ways to eat what there is, each by another mechanism. None is after authority: the question is whether the host goes on, and
 * whether the next callback is answered.
 */
import type { Attack } from './attack.js';

const all = { console: {}, timers: {}, services: { echo: {} } };
const eats = (name: string, body: string, top = ''): Attack => ({ name, body, top, raw: true, control: true, granted: all });

const time: Attack[] = [
  eats('an endless loop', `for (;;);`),
  eats('an endless loop around await', `for (;;) await null`),
  eats('promises that chain for ever', `const again = () => Promise.resolve().then(again); await again()`),
  eats('a promise that never settles', `await new Promise(() => {})`),
  eats('a catastrophic regular expression', `return /^(a+)+$/.test('a'.repeat(50) + '!')`),
  eats(
    'a loop around JSON.parse',
    `const text = JSON.stringify(Array.from({ length: 1e5 }, (_, n) => n)); for (;;) JSON.parse(text)`,
  ),
  eats(
    'a loop around sort',
    `const list = Array.from({ length: 1e6 }, (_, n) => (n * 7919) % 1e6); for (;;) list.slice().sort()`,
  ),
  eats('a comparator that never agrees', `[3, 2, 1].sort(() => { for (;;); })`),
  eats('a loop around huge integers', `for (let n = 3n; ; n = n * n % (2n ** 200000n)) ;`),
  eats('a loop around replaceAll', `const text = 'ab'.repeat(1e6); for (;;) text.replaceAll('a', 'bb')`),
  eats('a generator without end', `function* forever() { for (;;) yield 1 } [...forever()]`),
  eats('a getter in the result that never returns', `return { get then() { for (;;); } }`),
  eats('a toJSON in a host call that never returns', `await context.host.echo({ get a() { for (;;); } })`),
  eats('a proxy in the result with keys without end', `return new Proxy({}, { ownKeys() { for (;;); } })`),
  eats(
    'a loop that goes on after the answer',
    `Promise.resolve().then(async () => { for (let turn = 0; turn < 5; turn++) await null; for (;;); }); return false`,
  ),
  eats(
    'timers that go on after the answer',
    `setInterval(() => { const until = Date.now; for (let n = 0; n < 1e7; n++); }, 1); return false`,
  ),
  eats('blocking on shared memory for ever', `Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0)`),
  eats('a native call that takes a minute', `require('child_process').execSync('sleep 20')`),
  eats('a key derivation in native code', `require('crypto').pbkdf2Sync('a', 'b', 2e7, 64, 'sha512')`),
  eats(
    'all the threads of libuv',
    `const { pbkdf2 } = require('crypto'); for (let n = 0; n < 16; n++) pbkdf2('a', 'b', 3e6, 64, 'sha512', () => {}); await new Promise(() => {})`,
  ),
];

const memory: Attack[] = [
  eats(
    'a string that doubles and is flattened',
    `let text = 'x'; for (;;) { text += text; text.charCodeAt(text.length - 1); JSON.stringify(text) }`,
  ),
  eats('many strings of a megabyte', `const list = []; for (let n = 0; ; n++) list.push(('x' + n).repeat(2 ** 19))`),
  eats('a map that grows', `const map = new Map(); for (let n = 0; ; n++) map.set(n, n)`),
  eats('a set that grows', `const set = new Set(); for (let n = 0; ; n++) set.add(n)`),
  eats('an array that grows', `const list = []; for (let n = 0; ; n++) list.push(n)`),
  eats('an array that is filled', `new Array(2 ** 27).fill(1)`),
  eats('the longest array, filled', `new Array(2 ** 32 - 1).fill(1)`),
  eats('an array from a length', `Array.from({ length: 2 ** 31 })`),
  eats('an object that grows', `const bag = {}; for (let n = 0; ; n++) bag['key' + n] = n`),
  eats('many small objects', `const list = []; for (;;) list.push({ a: {}, b: [] })`),
  eats('many arrays of floats', `const list = []; for (;;) list.push(new Array(1000).fill(1.5))`),
  eats('an array that is spread into itself', `let list = [1]; for (;;) list = [...list, ...list]`),
  eats('closures that hold each other', `let chain = () => 0; for (;;) { const held = chain; chain = () => held }`),
  eats('registered symbols', `for (let n = 0; ; n++) Symbol.for('symbol' + n)`),
  eats('a string split into characters', `'x'.repeat(2 ** 27).split('')`),
  eats('every match of a regular expression', `'x'.repeat(2 ** 27).match(/x/g)`),
  eats('the JSON of a huge string', `JSON.stringify({ a: '"'.repeat(2 ** 28) })`),
  eats('JSON nested a million deep', `JSON.parse('['.repeat(1e7) + ']'.repeat(1e7))`),
  eats('a stack without end', `const dive = () => dive() + 1; try { dive() } catch {} dive()`),
  eats('a text that is compiled for ever', `for (let n = 0; ; n++) Function('return ' + JSON.stringify('x'.repeat(1e5) + n))`),
  eats('one huge integer', `2n ** (2n ** 30n - 1n)`),
  eats(
    'byte arrays',
    `const held = []; for (let n = 0; n < 40; n++) held.push(new Uint8Array(2 ** 27).fill(1)); await new Promise(() => {})`,
  ),
  eats(
    'WebAssembly memory',
    `const held = []; for (let n = 0; n < 20; n++) held.push(new Uint8Array(new WebAssembly.Memory({ initial: 2048 }).buffer).fill(1)); await new Promise(() => {})`,
  ),
  eats(
    'nested threads',
    `const { Worker } = require('worker_threads'); for (let n = 0; n < 8; n++) new Worker('const list = []; for (;;) list.push(new Array(1000).fill(1.5))', { eval: true }); await new Promise(() => {})`,
  ),
];

const traffic: Attack[] = [
  eats('a result of 64 MiB', `return { text: 'x'.repeat(2 ** 26) }`),
  eats('a result of a million nodes', `return Array.from({ length: 1e6 }, (_, n) => ({ n }))`),
  eats('a result nested a hundred thousand deep', `let value = []; for (let n = 0; n < 1e5; n++) value = [value]; return value`),
  eats('a refusal with 64 MiB', `throw { [Symbol.for('mcp-bulkhead.refusal')]: true, code: 1, message: 'x'.repeat(2 ** 26) }`),
  eats('an error with 64 MiB', `throw new Error('x'.repeat(2 ** 26))`),
  eats('an error whose every part throws', `throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })`),
  eats('a state of 64 MiB', `context.state.set('x'.repeat(2 ** 26)); return false`),
  eats(
    'ten thousand host calls',
    `await Promise.all(Array.from({ length: 1e4 }, (_, n) => context.host.echo(n).catch(() => {})))`,
  ),
  eats('host calls in a loop without waiting', `for (;;) context.host.echo('x').catch(() => {})`),
  eats('a host call with 64 MiB', `await context.host.echo('x'.repeat(2 ** 26))`),
  eats('a hundred thousand lines', `for (let n = 0; n < 1e5; n++) console.log('line', n); return false`),
  eats('one line of 64 MiB', `console.log('x'.repeat(2 ** 26)); return false`),
  eats('lines without end', `for (;;) console.log('x'.repeat(1e4))`),
  eats('a million timers', `for (let n = 0; n < 1e6; n++) setTimeout(() => {}, 1e6); return false`),
  eats('a timer that throws after the answer', `setTimeout(() => { throw new Error('late') }, 20); return false`),
  eats(
    'a rejection that nobody catches',
    `Promise.reject(new Error('nobody')); await new Promise((done) => setTimeout(done, 20)); return false`,
  ),
  eats(
    'messages of its own to the pool',
    `const { parentPort } = require('worker_threads'); for (;;) parentPort.postMessage('x'.repeat(1e4))`,
  ),
  eats(
    'a forged answer',
    `require('worker_threads').parentPort.postMessage({ type: 'reply', reply: { type: 'returned', json: '{"escaped":true}' } }); await new Promise(() => {})`,
  ),
  eats('an empty message to the pool', `require('worker_threads').parentPort.postMessage(null); await new Promise(() => {})`),
  eats('leaving the thread', `process.exit(0)`),
  eats('aborting the process', `process.abort()`),
  eats('throwing nothing', `throw undefined`),
];

/** What loops for ever shows that within a second; memory is given time to run out. */
const within = (deadline: number, attacks: readonly Attack[]): Attack[] => attacks.map((attack) => ({ ...attack, deadline }));

export const resources: readonly Attack[] = [...within(1000, time), ...within(5000, memory), ...within(3000, traffic)];
