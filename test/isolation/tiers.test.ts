import { given } from './given.js';
import { callbackSuite } from './suite.js';

for (const tier of ['inline', 'thread'] as const) {
  callbackSuite({ name: tier, open: async (services) => (await given({ tier, services })).isolation });
}
