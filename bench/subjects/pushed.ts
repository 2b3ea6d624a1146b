/** The callbacks of the flood bench: each notification is looked at and counted; `notifications/block` never ends. */
import type { JsonObject } from '../../src/contract/handler.js';

let seen = 0;

export async function handleNotification(method: string, params: JsonObject | undefined): Promise<void> {
  if (method === 'notifications/block') await new Promise(() => {});
  seen += typeof params?.text === 'string' ? params.text.length : 0;
}

/** How many characters have come, for the baselines, which run in the same thread. */
export const counted = (): number => seen;
