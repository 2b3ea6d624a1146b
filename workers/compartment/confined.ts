/**
 * Whether Node's permission model holds in this very thread. It is given to workers through `execArgv`, which no document
 * promises, so it is asked for at every start; a thread that may write files or start others refuses to start.
 */

interface PermissionModel {
  has(scope: string): boolean;
}

const denied = ['fs.write', 'child', 'worker'] as const;

/** Throws where the permission model does not hold. */
export function requireConfinement(): void {
  const model = (process as { permission?: PermissionModel }).permission;
  if (model === undefined) throw new Error('the permission model does not hold in this thread: refusing to start a plugin');
  for (const scope of denied)
    if (model.has(scope)) throw new Error(`this thread has the permission "${scope}": refusing to start a plugin`);
}
