/**
 * How a plugin is turned away: one `load` error that names the plugin, the field, what was wanted and what was granted.
 */
import { BulkheadError } from '../errors.js';

/** Throws. `field` is a path in the manifest, or says what else was wrong. */
export function turnAway(plugin: string, field: string, wanted: string, granted: string): never {
  throw new BulkheadError('load', `plugin ${plugin}: ${field}: wanted ${wanted}, granted ${granted}`);
}

/** Throws. For what is broken rather than denied. */
export function broken(plugin: string, field: string, expected: string, received: string, cause?: unknown): never {
  throw new BulkheadError('load', `plugin ${plugin}: ${field}: expected ${expected}, received ${received}`, { cause });
}
