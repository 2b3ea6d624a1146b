/** The smallest words of the protocol, which every room speaks. They import nothing. */

/** A JSON-RPC id. `5` and `"5"` are different ids (behaviour 17). */
export type RequestId = string | number;

/** `legacy`: revisions 2025-06-18 and 2025-11-25. `modern`: 2026-07-28. */
export type Era = 'legacy' | 'modern';

/** A negotiated protocol revision. */
export type Revision = '2025-06-18' | '2025-11-25' | '2026-07-28';

/** What a server may ask its host for. */
export type InputKind = 'sampling' | 'elicitation' | 'roots';

/** What a callback may be called for. */
export type CallbackKind = InputKind | 'notification' | 'log';

export type ElicitationMode = 'form' | 'url';

/** Plain data: what JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };
