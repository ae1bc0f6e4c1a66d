/** Whether the runtime still says what runs: the original calls that its pod life cycle event generator (PLEG). */
import { formatDuration } from '../../machinery/duration.ts';

const thresholdMs = 180_000;

/**
 * As the condition Ready says it; undefined when all is well.
 * @param sinceMs undefined: nothing was asked yet
 */
export function listProblem(sinceMs: number | undefined): string | undefined {
  if (sinceMs === undefined || sinceMs <= thresholdMs) return undefined;
  const since = formatDuration(Math.round(sinceMs * 1e6));
  return `PLEG is not healthy: pleg was last seen active ${since} ago; threshold is 3m0s`;
}
