import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { systemClock } from '../../base/clock.ts';
import type { ServingPort } from '../../server/serving-port.ts';
import { letClientsGo } from '../lifecycle/graceful-shutdown.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Hooks } from './post-start-hooks.ts';

/** The end of a server: clients are let go, then what the start has opened is closed, the last first. */
export function createShutdown(
  { config: { serving, log }, lifecycle }: SharedDependencies,
  { services }: Hooks,
  servingPort: ServingPort,
  cleanup: CleanupStack,
): () => Promise<void> {
  return async () => {
    // Timers alone would let the process end before all is done.
    const hold = setInterval(() => undefined, 2 ** 30);
    try {
      await letClientsGo({
        shutdown: serving.shutdown,
        lifecycle,
        transport: servingPort,
        requestTimeoutMs: serving.requestTimeoutMs,
        withdraw: () => services.stop(),
        clock: systemClock,
        log,
      });
      await cleanup.close();
    } finally {
      clearInterval(hold);
    }
  };
}
