/**
 * Effective = wanted and granted. One function a shape of permission; each is told how to deny: a needed permission that is
 * not granted whole turns the plugin away, an optional one shrinks to what both name, and is absent if that is nothing.
 * Bounds (`max`, `maxResponseBytes`) never deny: the lesser counts.
 */
import type { FetchPermission, Permissions, PluginManifest, ServicePermission, ServiceRule } from '../contract/plugin.js';
import { permissionNames } from '../contract/plugin.js';
import { turnAway } from './refusal.js';

/** Called with field, wanted and granted wherever the grant is narrower than the wish. */
type Deny = (field: string, wanted: string, granted: string) => void;

const defaultMethods = ['GET'];
const defaultTimers = 64;
const defaultResponse = 2 ** 20;

/** The permissions a plugin has; throws `load` if a needed one is not granted. */
export function effectivePermissions(manifest: PluginManifest, granted: Permissions): Permissions {
  const needed = intersect('permissions', manifest.permissions, granted, (field, wanted, given) =>
    turnAway(manifest.name, field, wanted, given),
  );
  const optional = intersect('optionalPermissions', manifest.optionalPermissions ?? {}, granted, () => {});
  return { ...optional, ...needed };
}

function intersect(root: string, wanted: Permissions, granted: Permissions, deny: Deny): Permissions {
  const both: Record<string, unknown> = {};
  for (const name of permissionNames) {
    const wish = wanted[name];
    if (wish === undefined) continue;
    const given = granted[name];
    if (given === undefined) deny(`${root}.${name}`, list(wish), 'nothing');
    else {
      const part = one(`${root}.${name}`, name, wish, given, deny);
      if (part !== undefined) both[name] = part;
    }
  }
  return both;
}

function one(field: string, name: keyof Permissions, wanted: unknown, granted: unknown, deny: Deny): unknown {
  switch (name) {
    case 'timers':
      return { max: least((wanted as { max?: number }).max, (granted as { max?: number }).max, defaultTimers) };
    case 'fetch':
      return fetchOf(field, wanted as FetchPermission, granted as FetchPermission, deny);
    case 'services':
      return servicesOf(field, wanted as Services, granted as Services, deny);
    default:
      return {};
  }
}

const least = (a: number | undefined, b: number | undefined, fallback: number): number => Math.min(a ?? fallback, b ?? fallback);

function fetchOf(field: string, wanted: FetchPermission, granted: FetchPermission, deny: Deny): FetchPermission | undefined {
  const origins = common(`${field}.origins`, wanted.origins, granted.origins, deny);
  const methods = common(`${field}.methods`, wanted.methods ?? defaultMethods, granted.methods ?? defaultMethods, deny);
  const maxResponseBytes = least(wanted.maxResponseBytes, granted.maxResponseBytes, defaultResponse);
  return origins.length === 0 || methods.length === 0 ? undefined : { origins, methods, maxResponseBytes };
}

type Services = NonNullable<Permissions['services']>;

function servicesOf(field: string, wanted: Services, granted: Services, deny: Deny): Services | undefined {
  const both: Record<string, ServicePermission> = {};
  for (const [name, wish] of Object.entries(wanted)) {
    const given = Object.hasOwn(granted, name) ? granted[name] : undefined;
    if (given === undefined) deny(`${field}.${name}`, list(wish), 'nothing');
    else {
      const where = ruleOf(`${field}.${name}.where`, wish.where ?? {}, given.where ?? {}, deny);
      if (where !== undefined) both[name] = Object.keys(where).length === 0 ? {} : { where };
    }
  }
  return Object.keys(both).length === 0 ? undefined : both;
}

/** Both rules at once; undefined where they leave no value. */
function ruleOf(field: string, wanted: ServiceRule, granted: ServiceRule, deny: Deny): ServiceRule | undefined {
  const both: Record<string, ServiceRule[string]> = { ...wanted };
  for (const [key, values] of Object.entries(granted)) {
    const wish = Object.hasOwn(wanted, key) ? wanted[key] : undefined;
    if (wish === undefined) deny(`${field}.${key}`, 'any value', list(values));
    const left = wish === undefined ? values : common(`${field}.${key}`, wish, values, deny);
    if (left.length === 0) return undefined;
    both[key] = left;
  }
  return both;
}

function common<T>(field: string, wanted: readonly T[], granted: readonly T[], deny: Deny): readonly T[] {
  const missing = wanted.filter((item) => !granted.includes(item));
  if (missing.length > 0) deny(field, list(missing), list(granted));
  return wanted.filter((item) => granted.includes(item));
}

const list = (value: unknown): string => {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
};
