/** How many requests a client sends: a token bucket in front of all of them. */
import type { Clock } from '../../base/clock.ts';
import { TokenBucket } from '../../base/token-bucket.ts';
import { pause } from '../../reconcile/pause.ts';

export interface RateLimits {
  /** Requests per second in the long run. 0 or less: as many as there are. */
  readonly qps: number;
  /** Requests that may be sent at once after a pause. */
  readonly burst: number;
}

/** Those of the daemons (`--kube-api-qps`, `--kube-api-burst`). client-go alone has 5 and 10. */
export const defaultRateLimits: RateLimits = { qps: 20, burst: 30 };

export interface RequestLimiter {
  /** Resolves when a request may be sent, with the milliseconds it waited. Rejects when the signal aborts. */
  wait(signal: AbortSignal): Promise<number>;
}

export function createRequestLimiter({ qps, burst }: RateLimits, clock: Clock): RequestLimiter {
  if (qps <= 0) return { wait: () => Promise.resolve(0) };
  const bucket = new TokenBucket({ perSecond: qps, burst: Math.max(1, burst) }, clock);
  return {
    async wait(signal) {
      const delayMs = bucket.reserve();
      if (delayMs > 0) await pause(clock, delayMs, signal);
      signal.throwIfAborted();
      return delayMs;
    },
  };
}
