/** The killable callback as a workerpool worker. */
import workerpool from 'workerpool';
import work from './killing.js';

workerpool.worker({ work });
