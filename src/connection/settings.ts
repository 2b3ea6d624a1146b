/** What a connection is made of: its names and limits, its transport and client, and the rooms of the bulkhead it uses. */
import type { Answer } from '../answer.js';
import type { Clock } from '../clock.js';
import type { JsonObject } from '../contract/handler.js';
import type { Isolation } from '../isolation/isolation.js';
import type { Notifications } from '../notifications/mailbox.js';
import type { Limits } from '../options.js';
import type { ClientLike } from './face.js';
import type { Link } from './link.js';
import type { TransportLike } from './wire.js';

export interface ConnectionSettings {
  /** Unique in the process. */
  readonly id: number;
  readonly serverId: string;
  readonly name: string;
  readonly limits: Limits;
  readonly clock: Clock;
  readonly answer: Answer;
  readonly transport: TransportLike;
  readonly client: ClientLike | undefined;
  readonly assigns: JsonObject;
  readonly serverOrigin: string | null;
  readonly state: Link['state'];
  /** Where callbacks run; a promise while a handler of the connection's own is being loaded. */
  readonly isolation: Isolation | Promise<Isolation>;
  notifications(isolation: Isolation): Notifications;
  budgetDelay(rate: { readonly perSecond: number; readonly burst: number }): number;
  /** A session began on the transport, or ended. */
  opened(): void;
  closed(): void;
}
