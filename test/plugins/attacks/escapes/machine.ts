/** Ways to the machine and out of the heap, and channels that should not be there. */
import type { Attack } from '../attack.js';
import { everything } from './evidence.js';

const hosts: Attack[] = [
  {
    name: 'the host’s environment by /proc',
    body: `return require('fs').readFileSync('/proc/self/environ', 'utf8').includes('SECRET=')`,
    control: true,
  },
  {
    name: 'the host’s environment by a report',
    body: `return JSON.stringify(process.report.getReport().environmentVariables ?? {}).includes('SECRET')`,
    control: true,
  },
  {
    name: 'writing a file',
    body: `require('fs').writeFileSync(C.out, 'x'); return require('fs').existsSync(C.out)`,
    control: true,
  },
  {
    name: 'starting a program',
    body: `return require('child_process').execSync('echo ran').toString() === 'ran\\n'`,
    control: true,
  },
  {
    name: 'connecting to a server',
    body: `return await new Promise((done) => require('net').connect(C.port, '127.0.0.1', () => done(true)).on('error', () => done(false)))`,
    control: true,
  },
  {
    name: 'listening on a port',
    body: `return await new Promise((done) => require('net').createServer().listen(0, '127.0.0.1', function () { this.close(); done(true) }))`,
    control: true,
  },
  {
    name: 'asking a server that is not granted',
    body: `return (await fetch('http://127.0.0.1:' + C.port)).status === 200`,
    granted: everything,
    control: true,
  },
  {
    name: 'a redirect to a server that is not granted',
    body: `return (await (await fetch('http://127.0.0.1:' + C.granted + '/redirect?to=' + C.port)).text()) === C.secret`,
    granted: everything,
    control: true,
  },
  {
    name: 'an address that changes between looks',
    body: `let looks = 0; const to = { toString: () => 'http://127.0.0.1:' + (looks++ === 0 ? C.granted : C.port) + '/' }; const text = async () => (await fetch(to)).text(); return (await text()) === C.secret || (await text()) === C.secret`,
    granted: everything,
    control: true,
  },
  {
    name: 'a request body that smuggles a second request',
    body: `const answer = await fetch('http://127.0.0.1:' + C.granted + '/', { method: 'POST', headers: { 'content-length': '1', host: 'other' }, body: 'x' }).catch(() => null); return answer !== null && answer.status === 200 && (await answer.text()).includes('other')`,
    granted: everything,
    control: false,
  },
  {
    name: 'a data: address',
    body: `return (await (await fetch('data:text/plain,x')).text()) === 'x'`,
    granted: everything,
    control: true,
  },
  {
    name: 'another thread',
    body: `const { Worker } = require('worker_threads'); return await new Promise((done) => new Worker('require("worker_threads").parentPort.postMessage(1)', { eval: true }).on('message', () => done(true)).on('error', () => done(false)))`,
    control: true,
  },
  { name: 'the data that the thread was started with', body: `return require('worker_threads').threadId > 0`, control: true },
  {
    name: 'a broadcast to the host',
    body: `new BroadcastChannel('probe').postMessage('heard'); await new Promise((done) => setTimeout(done, 100)); return false`,
    granted: everything,
    control: true,
  },
  {
    name: 'code in the main thread, through the inspector',
    body: `const { Session } = require('inspector'); const session = new Session(); session.connectToMainThread(); return await new Promise((done) => session.post('Runtime.evaluate', { expression: 'process.env.SECRET' }, (_, answer) => done(typeof answer?.result?.value === 'string')))`,
    control: true,
  },
  {
    name: 'closing the host’s descriptors',
    body: `const fs = require('fs'); for (let fd = 3; fd < 64; fd++) try { fs.closeSync(fd) } catch {} await new Promise((done) => setTimeout(done, 200)); return true`,
    granted: everything,
    control: true,
  },
  { name: 'a signal to the host', body: `process.kill(process.pid, 'SIGKILL'); await new Promise(() => {})`, control: true },
  { name: 'a signal to the host’s parent', body: `return process.kill(process.ppid, 0)`, control: true },
  {
    name: 'the priority of the host',
    body: `const os = require('os'); os.setPriority(0, os.getPriority()); return true`,
    control: true,
  },
  {
    name: 'words on the host’s stdout',
    body: `process.binding('fs').writeString(1, 'INJECTED\\n', 0, 'utf8', undefined, {}); return true`,
    control: true,
  },
  { name: 'a heap snapshot of everybody', body: `return require('v8').getHeapSnapshot() !== undefined`, control: true },
  { name: 'the host’s name and user', body: `return require('os').userInfo().username.length > 0`, control: true },
];

const channels: Attack[] = [
  { name: 'shared memory', body: `return new SharedArrayBuffer(8).byteLength === 8`, control: true },
  {
    name: 'blocking on shared memory',
    body: `return Atomics.wait(new Int32Array(new SharedArrayBuffer(8)), 0, 0, 1) === 'timed-out'`,
    control: true,
  },
  {
    name: 'WebAssembly memory outside the heap',
    body: `return new WebAssembly.Memory({ initial: 16 }).buffer.byteLength > 0`,
    control: true,
  },
  { name: 'byte arrays by name', body: `return new Uint8Array(2 ** 20).length > 0`, control: true },
  {
    name: 'byte arrays by TextEncoder',
    body: `return new (new TextEncoder().encode('x').constructor)(2 ** 20).length > 0`,
    control: true,
  },
  { name: 'byte arrays by structuredClone', body: `return structuredClone(new ArrayBuffer(8)).byteLength === 8`, control: true },
  {
    name: 'byte arrays by a response',
    body: `return (await (await fetch('http://127.0.0.1:' + C.granted)).arrayBuffer()).byteLength >= 0`,
    granted: everything,
    control: true,
  },
  { name: 'a precise clock', body: `return typeof performance.now() === 'number'`, control: true },
  { name: 'the time of day', body: `return Date.now() > 0`, control: true },
  { name: 'chance', body: `return Math.random() < 1`, control: true },
  { name: 'watching the garbage collector', body: `return new WeakRef({}).deref() !== undefined`, control: true },
  { name: 'where the host lives', body: `return Intl.DateTimeFormat().resolvedOptions().timeZone.length > 0`, control: true },
  { name: 'work after the end, by queueMicrotask', body: `return typeof queueMicrotask === 'function'`, control: true },
];

export const machine: readonly Attack[] = [...hosts, ...channels];
