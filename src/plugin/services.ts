/**
 * Host services as a plugin may call them. This is the check that counts: it runs in the main thread, on the argument as it
 * arrived, whatever the worker believed.
 */
import type { Permissions, ServiceRule } from '../contract/plugin.js';

/** A service of the host: plain data in and out. */
type Service<Rest extends unknown[]> = (data: unknown, ...rest: Rest) => unknown;

/** The granted services alone, each behind its argument rule. */
export function restrictServices<Rest extends unknown[]>(
  services: { readonly [name: string]: Service<Rest> },
  permissions: Permissions,
): { readonly [name: string]: Service<Rest> } {
  const granted: Record<string, Service<Rest>> = {};
  for (const [name, { where }] of Object.entries(permissions.services ?? {})) {
    const service = Object.hasOwn(services, name) ? services[name] : undefined;
    if (service !== undefined) granted[name] = where === undefined ? service : ruled(name, service, where);
  }
  return granted;
}

function ruled<Rest extends unknown[]>(name: string, service: Service<Rest>, where: ServiceRule): Service<Rest> {
  return (data, ...rest) => {
    const broken = Object.keys(where).find((field) => !allows(where[field] ?? [], data, field));
    if (broken !== undefined) throw new Error(`service "${name}": the argument's "${broken}" is not among the granted values`);
    return service(data, ...rest);
  };
}

function allows(values: readonly unknown[], data: unknown, field: string): boolean {
  if (typeof data !== 'object' || data === null || !Object.hasOwn(data, field)) return false;
  return values.includes((data as Record<string, unknown>)[field]);
}
