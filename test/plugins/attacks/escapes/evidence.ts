/** What counts as having got out, as text. */
import type { Permissions } from '../../../../src/contract/plugin.js';

export const reads = (fs: string): string => `return (${fs}).readFileSync(C.file, 'utf8') === C.secret`;
export const isProcess = (found: string): string => `return typeof (${found}).pid === 'number'`;
/** A function of the host realm would give its own global object. */
export const viaConstructor = (value: string): string =>
  `const made = ${value}; ${isProcess(`made.constructor.constructor('return process')()`)}`;
const fetchGrant = { fetch: { origins: ['http://127.0.0.1:1'], methods: ['GET', 'POST'] } };
export const everything: Permissions = {
  console: {},
  timers: {},
  random: {},
  clock: {},
  url: {},
  services: { echo: {} },
  ...fetchGrant,
};
