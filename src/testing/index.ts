/**
 * `mcp-bulkhead/testing`: what users test their handlers and hosts with. A clock turned by hand, a scripted server in
 * memory, and a handler that accepts everything.
 */
export { createManualClock, type ManualClock } from './clock.js';
export type { Expectation } from './expect.js';
export type { AnswerFrame, Frame, FrameParams, RequestFrame, RpcError } from './frames.js';
export type { Revision } from './handshake.js';
export type { MemoryTransport } from './link.js';
export { type CallScript, createScriptedServer, rpcError, type ScriptedServer, type ScriptedServerOptions } from './server.js';

/** A handler module for tests that accepts every form and URL, answers sampling with "auto" and lists no roots. */
export const autoAcceptHandler: URL = new URL('./accept.js', import.meta.url);
