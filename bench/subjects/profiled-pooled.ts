/** The same as the worker file of workerpool. */
import workerpool from 'workerpool';
import work from './profiled.js';

workerpool.worker({ work });
