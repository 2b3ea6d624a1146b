/** The travel desk over stdio: the demo starts this file as a child process. It speaks the era that its client opens with. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createDeskFactory } from './server.js';

serveStdio(createDeskFactory());
