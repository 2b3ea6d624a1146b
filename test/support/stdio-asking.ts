/** The server of `asking.ts` over stdio: run it as a child process. Legacy era. */
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { createAskingServer } from './asking.js';

await createAskingServer().connect(new StdioServerTransport());
