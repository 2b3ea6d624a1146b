/**
 * Ways out, each by another mechanism. `C.file` holds `C.secret`; `C.port` is a server on loopback that is granted to nobody, `C.granted`
 * the port of one that is; `C.out` is a path that nobody may write; `SECRET` is in the host's environment.
 */
import type { Attack } from './attack.js';

const reads = (fs: string): string => `return (${fs}).readFileSync(C.file, 'utf8') === C.secret`;
const isProcess = (found: string): string => `return typeof (${found}).pid === 'number'`;
/** A function of the host realm would give its own global object. */
const viaConstructor = (value: string): string =>
  `const made = ${value}; ${isProcess(`made.constructor.constructor('return process')()`)}`;
const fetchGrant = { fetch: { origins: ['http://127.0.0.1:1'], methods: ['GET', 'POST'] } };
const everything = { console: {}, timers: {}, random: {}, clock: {}, url: {}, services: { echo: {} }, ...fetchGrant };

const modules: Attack[] = [
  { name: 'require a builtin', body: reads(`require('fs')`), control: true },
  { name: 'import() a builtin', body: reads(`await import('node:fs')`), control: true },
  { name: 'import() hidden behind a comment', body: reads(`await import/* */('node:fs')`), control: true },
  { name: 'import() behind a line separator', body: reads(`await import\u2028('node:fs')`), control: true },
  { name: 'import() made by Function', body: reads(`await Function('return import("node:" + "fs")')()`), control: true },
  { name: 'import() put together for Function', body: reads(`await Function('return im' + 'port("node:fs")')()`), control: true },
  { name: 'import() made by indirect eval', body: reads(`await (0, eval)('im' + 'port("node:fs")')`), control: true },
  {
    name: 'import() by the async function constructor',
    body: reads(`await (async () => {}).constructor('return im' + 'port("node:fs")')()`),
    control: true,
  },
  {
    name: 'import() by the generator constructor',
    body: reads(`await (function* () {}).constructor('yield im' + 'port("node:fs")')().next().value`),
    control: true,
  },
  {
    name: 'import() by the async generator constructor',
    body: reads(`(await (async function* () {}).constructor('yield im' + 'port("node:fs")')().next()).value`),
    control: true,
  },
  { name: 'process.getBuiltinModule', body: reads(`process.getBuiltinModule('fs')`), control: true },
  { name: 'process.binding', body: `return typeof process.binding('fs').open === 'function'`, control: true },
  { name: 'module.constructor._load', body: reads(`module.constructor._load('fs')`), control: true },
  { name: 'require.cache of another module', body: `return Object.keys(require.cache).length > 0`, control: true },
  { name: 'vm.runInThisContext', body: isProcess(`require('vm').runInThisContext('process')`), control: true },
  { name: 'process.dlopen', body: `return typeof process.dlopen === 'function'`, control: true },
  {
    name: 'HTML comment that hides code',
    body: `let n = 0; n = 1 <!-- + 1\n; return n === 1 && typeof process === 'object'`,
    control: true,
  },
];

const globals: Attack[] = [
  { name: 'process by name', body: isProcess('process'), control: true },
  { name: 'Function returns this', body: isProcess(`Function('return this')().process`), control: true },
  { name: 'sloppy this', body: isProcess(`(Function('return (function () { return this })()'))().process`), control: true },
  { name: 'indirect eval of process', body: isProcess(`(0, eval)('process')`), control: true },
  {
    name: 'with and a proxy that has every name',
    body: isProcess(`Function('with (new Proxy({}, { has: () => false })) { return process }')()`),
    control: true,
  },
  {
    name: 'Symbol.unscopables against the scope',
    body: isProcess(`Function('with ({ [Symbol.unscopables]: { process: true }, process: null }) { return process }')()`),
    control: true,
  },
  {
    name: 'a getter on globalThis that reads its receiver',
    body: `Object.defineProperty(globalThis, 'trap', { configurable: true, get() { return this } }); ${isProcess('trap.process')}`,
    control: true,
  },
  { name: 'constructor of the constructor', body: isProcess(`({}).constructor.constructor('return process')()`), control: true },
  {
    name: 'breaking out of the wrapper’s text',
    top: `}}); globalThis.stolen = typeof process; (function(){return function(module,exports){`,
    body: `return stolen === 'object'`,
    control: false,
  },
  {
    name: 'a second compartment with its own globals',
    body: `return typeof new Compartment().globalThis.Uint8Array === 'function'`,
    control: false,
  },
  {
    name: 'import through a second compartment',
    body: `return (await new Compartment({}, {}, {}).import('node:fs')) !== undefined`,
    control: false,
  },
  {
    name: 'locking down again with weaker options',
    body: `lockdown({ errorTaming: 'unsafe', evalTaming: 'unsafe-eval' }); return true`,
    control: false,
  },
];

const givens: Attack[] = [
  { name: 'constructor of the context', body: viaConstructor('context'), control: true },
  { name: 'constructor of a host service', body: viaConstructor('context.host.echo'), granted: everything, control: true },
  {
    name: 'constructor of a host call’s promise',
    body: viaConstructor('context.host.echo(1)'),
    granted: everything,
    control: true,
  },
  {
    name: 'constructor of a host call’s answer',
    body: viaConstructor('await context.host.echo({})'),
    granted: everything,
    control: true,
  },
  {
    name: 'constructor of a host call’s error',
    body: viaConstructor('await context.host.nothing().catch((error) => error)'),
    control: true,
  },
  { name: 'constructor of the signal and its methods', body: viaConstructor('context.signal.addEventListener'), control: true },
  {
    name: 'the event that the signal sends',
    body: `let seen; const c = new AbortController(); c.signal.addEventListener('abort', (event) => { seen = event }); c.abort(); return seen.target !== undefined && ${`typeof seen.target.constructor.constructor('return process')().pid === 'number'`}`,
    control: true,
  },
  {
    name: 'a stack that runs out inside a host function',
    body: `let caught; const dive = () => { try { dive() } catch (error) { try { context.state.get(); context.host.echo } catch (inner) { caught = inner } throw error } }; try { dive() } catch (error) { caught ??= error } ${isProcess(`caught.constructor.constructor('return process')()`)}`,
    granted: everything,
    control: true,
  },
  {
    name: 'new.target into a granted class',
    body: viaConstructor(`Reflect.construct(AbortController, [], function () {})`),
    control: true,
  },
  {
    name: 'arguments.callee.caller',
    body: `const seen = [Function('return (function f() { return f.caller })()')(), Function('return arguments.callee.caller')()]; return seen.some((found) => typeof found === 'function')`,
    control: true,
  },
  {
    name: 'a thenable result that gets the host’s resolve',
    body: `let got; await { then(resolve) { got = resolve; resolve() } }; ${isProcess(`got.constructor('return process')()`)}`,
    control: true,
  },
  {
    name: 'a promise subclass that gets the host’s executor',
    body: `let got; class Greedy extends Promise { constructor(executor) { super(executor); got = executor } } await Greedy.resolve(1).then(() => {}); ${isProcess(`got.constructor('return process')()`)}`,
    control: true,
  },
  {
    name: 'console.log with inspect.custom',
    body: `let got; console.log({ [Symbol.for('nodejs.util.inspect.custom')](depth, options, inspect) { got = inspect ?? options?.stylize } }); ${isProcess(`got.constructor('return process')()`)}`,
    granted: everything,
    control: true,
  },
  {
    name: 'the streams behind console',
    body: `console.log(1); return Object.getOwnPropertyNames(console).some((name) => name === '_stdout') && console._stdout !== undefined`,
    granted: everything,
    control: true,
  },
  {
    name: 'the handle of a timer',
    body: `const timer = setTimeout(() => {}, 50); return typeof timer === 'object' && typeof Object.getPrototypeOf(timer).ref === 'function'`,
    granted: everything,
    control: true,
  },
  {
    name: 'a timer that is given text',
    body: `const before = globalThis.ran; try { setTimeout('globalThis.ran = true', 1) } catch {} await new Promise((done) => setTimeout(done, 20)); return globalThis.ran !== before`,
    granted: everything,
    control: false,
  },
  {
    name: 'the prototype of a URL, writable',
    body: `URL.prototype.toJSON = () => 'owned'; return JSON.stringify(new URL('http://a')) === '"owned"'`,
    granted: everything,
    control: true,
  },
  {
    name: 'the host’s search parameters behind a URL',
    body: `return new URL('http://a/?b').searchParams instanceof Object.getPrototypeOf(new URL('http://a/').searchParams).constructor && ${`typeof new URL('http://a').searchParams.append === 'function'`}`,
    granted: everything,
    control: true,
  },
  {
    name: 'fetch’s own classes',
    body: `const error = await fetch('http://127.0.0.1:1').catch((found) => found); return error.cause !== undefined && error.cause.constructor !== undefined && typeof fetch('http://127.0.0.1:1').catch === 'function' && typeof Response === 'function'`,
    granted: everything,
    control: true,
  },
];

const stacks: Attack[] = [
  {
    name: 'Error.prepareStackTrace',
    body: `let site; Error.prepareStackTrace = (_, sites) => { site = sites[0]; return '' }; new Error('x').stack; return site !== undefined && typeof site.getFunction === 'function'`,
    control: true,
  },
  {
    name: 'Error.captureStackTrace and call sites',
    body: `const bag = {}; Error.prepareStackTrace = (_, sites) => sites; Error.captureStackTrace(bag); return Array.isArray(bag.stack) && bag.stack.some((site) => typeof site.getFileName === 'function')`,
    control: true,
  },
  {
    name: 'paths of the host in a stack',
    body: `return /\\/[\\w.-]+\\.[cm]?js/.test(new Error('x').stack ?? '')`,
    control: true,
  },
  {
    name: 'Error.stackTraceLimit of everybody',
    body: `Error.stackTraceLimit = 77; return false`,
    after: `return Error.stackTraceLimit === 77`,
    control: true,
  },
];

const neighbours: Attack[] = [
  {
    name: 'a property on Object.prototype',
    body: `try { Object.prototype.polluted = 1 } catch {} return false`,
    after: `return {}.polluted === 1`,
    control: true,
  },
  {
    name: 'defineProperty on Object.prototype',
    body: `try { Object.defineProperty(Object.prototype, 'sneaky', { get: () => 1 }) } catch {} return false`,
    after: `return {}.sneaky === 1`,
    control: true,
  },
  {
    name: 'another JSON.stringify',
    body: `const stringify = JSON.stringify; try { JSON.stringify = (...args) => stringify(...args) + ' ' } catch {} return false`,
    after: `return JSON.stringify(1) === '1 '`,
    control: true,
  },
  {
    name: 'another Promise.prototype.then',
    body: `const then = Promise.prototype.then; try { Promise.prototype.then = function (...args) { globalThis.heard = true; return then.apply(this, args) } } catch {} return false`,
    after: `await Promise.resolve(1).then(() => {}); return globalThis.heard === true`,
    control: true,
  },
  {
    name: 'another Function.prototype.call',
    body: `const call = Function.prototype.call; try { Function.prototype.call = function (...args) { globalThis.called = true; return Reflect.apply(this, args[0], args.slice(1)) } } catch {} return false`,
    after: `(() => 1).call(null); return globalThis.called === true`,
    control: true,
  },
  {
    name: 'a setter for index 0 of every array',
    body: `try { Object.defineProperty(Array.prototype, '9', { configurable: true, set() { globalThis.pushed = true } }) } catch {} return false`,
    after: `const list = []; list[9] = 1; return globalThis.pushed === true`,
    control: true,
  },
  {
    name: 'another array iterator',
    body: `const proto = Object.getPrototypeOf([][Symbol.iterator]()); const next = proto.next; try { proto.next = function () { globalThis.iterated = true; return next.call(this) } } catch {} return false`,
    after: `[...[1]]; return globalThis.iterated === true`,
    control: true,
  },
  {
    name: 'another Map.prototype.get',
    body: `const get = Map.prototype.get; try { Map.prototype.get = function (key) { globalThis.looked = true; return get.call(this, key) } } catch {} return false`,
    after: `new Map().get(1); return globalThis.looked === true`,
    control: true,
  },
  {
    name: 'a species that is inherited',
    body: `try { Object.defineProperty(Array, Symbol.species, { get: () => function () { globalThis.born = true; return [] } }) } catch {} return false`,
    after: `[1].map((n) => n); return globalThis.born === true`,
    control: true,
  },
  { name: 'a global variable', body: `globalThis.left = 1; return false`, after: `return globalThis.left === 1`, control: true },
  {
    name: 'an accessor in the place of a global',
    body: `Object.defineProperty(globalThis, 'parseInt', { configurable: true, get: () => () => 7 }); return false`,
    after: `return parseInt('1') === 7`,
    control: true,
  },
  {
    name: 'a variable of the module',
    top: 'let kept = 0;',
    body: `kept = 1; return false`,
    after: `return kept === 1`,
    control: true,
  },
  {
    name: 'what the last regular expression matched',
    body: `/secret/.test('a secret of this server'); return false`,
    after: `return RegExp.lastMatch === 'secret' || String(RegExp['$_']).includes('secret')`,
    control: true,
  },
  {
    name: 'a timer that fires in the next callback',
    top: 'let fired = false;',
    body: `setTimeout(() => { globalThis.fired = true; fired = true }, 20); return false`,
    after: `await new Promise((done) => setTimeout(done, 60)); return fired || globalThis.fired === true`,
    granted: everything,
    control: true,
  },
  {
    name: 'a setter for then on every object',
    body: `try { Object.defineProperty(Object.prototype, 'then', { configurable: true, get() { globalThis.asked = true } }) } catch {} return false`,
    after: `await {}; return globalThis.asked === true`,
    control: true,
  },
  {
    name: 'mutating the context of the next callback',
    body: `try { context.constructor.prototype.stolen = 1 } catch {} return false`,
    after: `return context.stolen === 1`,
    control: true,
  },
  {
    name: 'mutating a service for the next callback',
    body: `try { Object.getPrototypeOf(context.host.echo).bugged = 1 } catch {} return false`,
    after: `return context.host.echo.bugged === 1`,
    granted: everything,
    control: true,
  },
  {
    name: 'replacing Node’s module loader',
    body: `const Module = require('module'); const load = Module._load; Module._load = (name, ...rest) => (name === 'fs' ? { owned: true } : load(name, ...rest)); return false`,
    after: `try { return require('fs').owned === true } catch { return false }`,
    control: true,
  },
];

const machine: Attack[] = [
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

export const escapes: readonly Attack[] = [...modules, ...globals, ...givens, ...stacks, ...neighbours, ...machine, ...channels];
