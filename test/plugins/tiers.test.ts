/** The same callbacks, the same outcomes: the callback suite of the isolation room, bundled as a plugin, in both tiers of plugins. */

import { fileURLToPath } from 'node:url';
import { systemClock } from '../../src/clock.js';
import type { PluginProgram } from '../../src/contract/plugin.js';
import { callbackExports } from '../../src/contract/plugin.js';
import { createIsolation } from '../../src/isolation/create.js';
import { bundle } from '../../src/plugin/bundle.js';
import { defaultThreads } from '../../src/threads.js';
import { fixture, hearing } from '../isolation/given.js';
import { callbackSuite } from '../isolation/suite.js';

const bundled = await bundle(fileURLToPath(fixture('suite.mjs')), fileURLToPath(new URL('../../..', import.meta.url)));
if (!bundled.ok) throw new Error(JSON.stringify(bundled.complaints));
const program: PluginProgram = {
  name: 'suite',
  source: bundled.source,
  permissions: {},
  callbacks: callbackExports,
  maxResultBytes: 2 ** 20,
};

for (const tier of ['compartment', 'process'] as const) {
  callbackSuite({
    name: tier,
    open: (services) =>
      createIsolation({
        ...{ tier, handler: undefined, plugin: { program, maxMemoryMb: 128 }, threads: defaultThreads, services },
        ...{ events: hearing().events, clock: systemClock },
      }),
  });
}
