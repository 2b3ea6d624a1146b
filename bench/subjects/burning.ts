/** The burning callback as a Piscina worker file. */
import type { CallbackContext } from '../../src/contract/handler.js';
import { handleSampling } from './burn.js';
import type { Work } from './threaded.js';

export default ({ params, context }: Work): unknown => handleSampling(params, context as CallbackContext);
