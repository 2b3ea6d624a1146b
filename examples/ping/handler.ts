/** A callback that computes for half a second without a pause. In the host's own thread nothing else would get a turn. */
import type { ElicitationCallback } from 'mcp-bulkhead/handler';

export const handleElicitation: ElicitationCallback = () => {
  const end = performance.now() + 500;
  let sum = 0;
  while (performance.now() < end) sum = (sum + 1) % 1_000;
  return { action: 'accept', content: { sum } };
};
