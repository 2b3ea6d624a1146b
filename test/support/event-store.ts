/** Events of a Streamable HTTP server kept in memory, so that a dropped stream can be resumed by `Last-Event-ID`. */
import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';

export function createEventStore(): EventStore {
  const events: { readonly streamId: string; readonly message: JSONRPCMessage }[] = [];
  const streamOf = (eventId: string) => events[Number(eventId)]?.streamId;
  return {
    storeEvent: async (streamId, message) => String(events.push({ streamId, message }) - 1),
    getStreamIdForEventId: async (eventId) => streamOf(eventId),
    replayEventsAfter: async (lastEventId, { send }) => {
      const streamId = streamOf(lastEventId) ?? '';
      for (const [index, event] of events.entries()) {
        const isPriming = !('jsonrpc' in event.message);
        if (index > Number(lastEventId) && event.streamId === streamId && !isPriming) await send(String(index), event.message);
      }
      return streamId;
    },
  };
}
