#!/usr/bin/env node
/** The bin `mcp-bulkhead`: this process's arguments and terminal, and its exit code. Everything else is in `program.ts`. */
import { run } from './program.js';
import { processTerminal } from './terminal.js';

process.exitCode = await run(process.argv.slice(2), processTerminal());
