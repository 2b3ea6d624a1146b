/** Ways through what a plugin is handed: context, services, signals, endowments, results, stacks. */
import type { Attack } from '../attack.js';
import { everything, isProcess, viaConstructor } from './evidence.js';

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

export const reach: readonly Attack[] = [...givens, ...stacks];
