/** Ways to another server’s callbacks in the same thread: shared prototypes, globals, leftovers. */
import type { Attack } from '../attack.js';
import { everything } from './evidence.js';

export const neighbours: readonly Attack[] = [
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
