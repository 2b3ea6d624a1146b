/** Public names of `mcp-bulkhead`, listed singly. What is not here is not public. */
export type { Bulkhead, BulkheadEvents, BulkheadStats } from './bulkhead.js';
export { createBulkhead } from './bulkhead.js';
export type { Clock } from './clock.js';
export { systemClock } from './clock.js';
export type { CallOptions, ClientCallOptions } from './connection/caller.js';
export type { ClientLike, Connection, ConnectionEvents, ConnectionStats, PendingCall, Stray } from './connection/face.js';
export type { Dropped } from './connection/link.js';
export type { Command, Target } from './connection/target.js';
export type { TransportLike } from './connection/wire.js';
export type { InputCapabilities } from './era/capabilities.js';
export type { ErrorKind } from './errors.js';
export { BulkheadError, errorKinds, isBulkheadError } from './errors.js';
export type { HostServiceTable, ServiceExtra } from './isolation/isolation.js';
export type { InputOutcome, InputRecord, Stage } from './journal.js';
export type { LimitOptions, Limits } from './options.js';
export { defaults } from './options.js';
export type { AttachOptions, BulkheadOptions, ConnectionOptions, ConnectOptions } from './settings.js';
export type { ThreadOptions } from './threads.js';
