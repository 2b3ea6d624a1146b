/**
 * Keys that seal what a server gives its caller to keep. The newest seals; the one before it still opens, so that nobody who is in
 * the middle of a call notices a rotation. What an older key has sealed, or nobody, or what is too old, is refused.
 */
import { createRequestStateCodec, type RequestStateCodec, type ServerContext } from '@modelcontextprotocol/server';

export interface KeyRing<T> extends RequestStateCodec<T> {
  rotate(key: Uint8Array): void;
}

export function createKeyRing<T>(first: Uint8Array): KeyRing<T> {
  const codec = (key: Uint8Array) =>
    createRequestStateCodec<T>({
      key,
      // Longer than a person takes, and shorter than two rotations.
      ttlSeconds: 600,
      // Sealed for one method and one user, so that nobody can carry it over to another.
      bind: ({ mcpReq, http }) => `${mcpReq.method} ${http?.authInfo?.clientId ?? ''}`,
    });
  let newest = codec(first);
  let previous: RequestStateCodec<T> | undefined;

  return {
    mint: (payload, context) => newest.mint(payload, context),
    verify: (state: string, context: ServerContext) =>
      newest.verify(state, context).catch((error: unknown) => {
        if (previous === undefined) throw error;
        return previous.verify(state, context);
      }),
    rotate(key) {
      previous = newest;
      newest = codec(key);
    },
  };
}
