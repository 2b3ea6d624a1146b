/** The killable callback as a worker file of Piscina and Tinypool. */
import type { CallbackContext } from '../../src/contract/handler.js';
import { handleSampling } from './killable.js';
import type { Work } from './threaded.js';

export default ({ params, context }: Work): unknown => handleSampling(params, context as CallbackContext);
