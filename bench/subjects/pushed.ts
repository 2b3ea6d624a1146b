/** The callback of the flood bench: it looks at each notification; `notifications/block` never ends. */
import type { JsonObject } from '../../src/contract/handler.js';

export async function handleNotification(method: string, params: JsonObject | undefined): Promise<void> {
  if (method === 'notifications/block') await new Promise(() => {});
  if (typeof params?.text !== 'string') throw new TypeError('the notification has no text');
}
