/**
 * Graceful shutdown, in upstream's order:
 *
 * 1. `/readyz` fails, and this server is taken out of the kubernetes service. Everything is served as before for
 *    `--shutdown-delay-duration`, so that load balancers can turn away.
 * 2. No new request is accepted. Without `--shutdown-send-retry-after` it stops listening here; with it, new requests
 *    get 429 and Retry-After.
 * 3. Requests in work are answered; watches are ended within `--shutdown-watch-termination-grace-period`, if there is
 *    one.
 * 4. It does not listen any more. Connections are left as soon as nothing is under way on them.
 */
import { type Clock, sleep } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { endsWithin } from '../../server/shutdown-timeout.ts';
import type { Lifecycle } from '../../server/lifecycle.ts';
import type { Transport } from '../../server/listener.ts';

export interface ShutdownConfig {
  readonly delayMs: number;
  readonly sendRetryAfter: boolean;
  /** 0: watches are not awaited, they end when everything else has. */
  readonly watchGraceMs: number;
}

export interface Departure {
  readonly shutdown: ShutdownConfig;
  readonly lifecycle: Lifecycle;
  readonly transport: Pick<Transport, 'leave'>;
  /** What a request may take at most. */
  readonly requestTimeoutMs: number;
  /** Takes this server out of where clients look for one. */
  withdraw(): Promise<void>;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Resolves when no request is in work any more. */
export async function letClientsGo({
  shutdown,
  lifecycle,
  transport,
  requestTimeoutMs,
  withdraw,
  clock,
  log,
}: Departure): Promise<void> {
  const { delayMs, sendRetryAfter, watchGraceMs } = shutdown;
  lifecycle.stop();
  log.debug({ delayMs }, 'not ready any more');
  await Promise.all([withdraw(), delayMs > 0 ? sleep(clock, delayMs) : undefined]);
  lifecycle.refuse();
  if (!sendRetryAfter) transport.leave();
  log.debug({ requests: lifecycle.requests, watches: lifecycle.watches }, 'nothing new is begun any more');
  await Promise.all([
    endsWithin({ ms: requestTimeoutMs, what: 'a request in work', log }, lifecycle.drained()),
    watchGraceMs > 0 ? lifecycle.endWatches(watchGraceMs, clock) : undefined,
  ]);
  transport.leave();
  log.debug({ watches: lifecycle.watches }, 'requests in work have been answered');
}
