/** A handler module that answers forms and nothing else. */
import type { ElicitationCallback } from '../../src/contract/handler.js';

export const handleElicitation: ElicitationCallback = () => ({ action: 'decline' });
