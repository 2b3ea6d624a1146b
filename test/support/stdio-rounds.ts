/** The server of `rounds.ts` over stdio: run it as a child process. Both eras, whichever the client opens with. */
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createRoundsFactory } from './rounds.js';

serveStdio(createRoundsFactory());
