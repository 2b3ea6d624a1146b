/**
 * What the host grants. Deny by default: a permission that is not named here does not exist for the plugin. Those that name
 * others (`fetch`, `services`) must list them; there is no "everything".
 *
 * A grant may be bound to one plugin, by name, and to one set of bytes, by integrity.
 */

import { isPlain, wrong } from '../checks.js';
import type { Permissions, PluginLimits } from '../contract/plugin.js';
import { BulkheadError } from '../errors.js';
import { canonicalOrigin } from './origin.js';
import { fault } from './schema.js';

type Plain = 'console' | 'timers' | 'random' | 'clock' | 'url';

export type PluginGrant = { readonly [name in Plain]?: true | Permissions[name] } & Pick<Permissions, 'fetch' | 'services'> & {
    /** The host's bounds; the lesser of these and the manifest's counts. */
    readonly limits?: PluginLimits;
    /** The only plugin this grant is for. */
    readonly name?: string;
    /** The only bytes this grant is for, `sha512-…`. */
    readonly integrity?: string;
  };

/** {@link PluginGrant}, checked. */
export interface Granted {
  readonly permissions: Permissions;
  readonly limits: PluginLimits;
  readonly name: string | undefined;
  readonly integrity: string | undefined;
}

const plain: readonly string[] = ['console', 'timers', 'random', 'clock', 'url'] satisfies Plain[];

/** Throws `options` naming the first field that is wrong. */
export async function resolveGrant(grant: PluginGrant): Promise<Granted> {
  if (!isPlain(grant)) wrong('grant', 'a plain object of permissions', grant);
  const { limits = {}, name, integrity, ...named } = grant;
  for (const [field, value] of Object.entries({ name, integrity }))
    if (value !== undefined && typeof value !== 'string') wrong(`grant.${field}`, 'a string', value);
  const permissions = Object.fromEntries(
    Object.entries(named)
      .filter(([, value]) => value !== undefined)
      .map(([permission, value]) => [permission, value === true && plain.includes(permission) ? {} : value]),
  );
  await check('permissions', permissions, 'grant');
  await check('limits', limits, 'grant.limits');
  return { permissions: spelled(permissions), limits, name, integrity };
}

async function check(part: 'permissions' | 'limits', value: unknown, option: string): Promise<void> {
  const seen = await fault(part, value);
  if (seen === null) return;
  const field = seen.field === '' ? option : `${option}.${seen.field}`;
  throw new BulkheadError('options', `option "${field}": expected ${seen.expected}, received ${seen.received}`);
}

/** The host may spell an origin as it likes (`https://API.example.com:443`). */
function spelled(permissions: Permissions): Permissions {
  const { fetch } = permissions;
  if (fetch === undefined) return permissions;
  const origins = fetch.origins.map(
    (text) => canonicalOrigin(text) ?? wrong('grant.fetch.origins', 'web origins such as "https://example.com"', text),
  );
  return { ...permissions, fetch: { ...fetch, origins } };
}
