/**
 * With the gate `WatchCacheInitializationPostStartHook`: every watch cache is opened at the start, and the server is
 * not ready before they are filled, or the time for it is over. Without it a cache opens at its first use, and its
 * readers wait.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/logger.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';

const pollMs = 100;

export async function waitForStorage(
  stores: readonly ResourceStore[],
  { timeoutMs, signal, log }: { readonly timeoutMs: number; readonly signal: AbortSignal; readonly log: Logger },
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const missing = (): ResourceStore[] => stores.filter(({ storage }) => !storage.ready());
  while (missing().length > 0 && !signal.aborted) {
    if (performance.now() >= deadline) {
      log.warn(
        { resources: missing().map(({ resourceName }) => resourceName) },
        'not all watch caches were filled in time; going on without them',
      );
      return;
    }
    await sleep(pollMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
