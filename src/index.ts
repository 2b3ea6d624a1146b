export { BulkheadError } from './errors.js';
