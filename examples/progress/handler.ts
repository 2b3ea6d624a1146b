/** Gets every progress notice of every call, in order, for a status line; `onprogress` of a call gets those of that call. */
import type { NotificationCallback } from 'mcp-bulkhead/handler';
import type { Services } from './host.js';

export const handleNotification: NotificationCallback<Services> = async (method, params, { host, serverId }) => {
  if (method === 'notifications/progress') await host.status(`${serverId}: ${params?.message}`);
};
