/** Ways to a module or to the real global object, by name and by code that is made at run time. */
import type { Attack } from '../attack.js';
import { isProcess, reads } from './evidence.js';

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

export const authority: readonly Attack[] = [...modules, ...globals];
