/** The handler module of the benches that go over a wire: both callbacks. */
export { handleSampling } from './callback.js';
export { handleElicitation } from './form.js';
