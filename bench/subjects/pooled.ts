/** The same callback as the worker file of workerpool, which registers methods by name. */
import workerpool from 'workerpool';
import work from './threaded.js';

workerpool.worker({ work });
