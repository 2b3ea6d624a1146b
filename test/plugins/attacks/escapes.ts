/**
 * Ways out, each by another mechanism. `C.file` holds `C.secret`; `C.port` is a server on loopback that is granted to nobody, `C.granted`
 * the port of one that is; `C.out` is a path that nobody may write; `SECRET` is in the host's environment.
 */
import type { Attack } from './attack.js';
import { authority } from './escapes/authority.js';
import { machine } from './escapes/machine.js';
import { neighbours } from './escapes/neighbours.js';
import { reach } from './escapes/reach.js';

export const escapes: readonly Attack[] = [...authority, ...reach, ...neighbours, ...machine];
