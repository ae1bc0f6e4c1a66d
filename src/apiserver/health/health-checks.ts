import { timeLimit } from '../../base/time-limit.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { Logger } from '../../base/logger.ts';
import type { Clock } from '../../base/clock.ts';
import type { Encryption } from '../../storage/encryption/encryption.ts';
import type { Store } from '../../storage/interface.ts';
import type { HealthCheck, HealthChecks, HealthObserver } from '../../server/health.ts';

export interface HealthCheckOptions {
  readonly store: Store;
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
  readonly registry: RegistryCatalog;
  /** Of the post-start hooks. */
  readonly hooks: readonly HealthCheck[];
  readonly log: Pick<Logger, 'debug'>;
  readonly isStopping: () => boolean;
  /** `--livez-grace-period`: until then `/livez` takes for done what a start does. */
  readonly livezGraceMs: number;
  readonly clock: Clock;
  readonly encryption: Encryption | undefined;
  readonly observe: HealthObserver;
}

/** What has to be well for `/livez`, and beyond that for `/readyz`. */
export function createHealthChecks({
  store,
  healthTimeoutMs,
  readyTimeoutMs,
  registry,
  hooks,
  log,
  isStopping,
  livezGraceMs,
  clock,
  encryption,
  observe,
}: HealthCheckOptions): HealthChecks {
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  const graceEnds = clock.now() + livezGraceMs;
  const patient = hooks.map(
    ({ name, check }): HealthCheck => ({
      name,
      check: (signal) => (clock.now() <= graceEnds ? undefined : check(signal)),
    }),
  );
  const alive = [ping, logCheck(log, clock)];
  const always = [...alive, { name: 'etcd', check: storeCheck(store, healthTimeoutMs) }];
  // A key that is out of reach is no reason to start the server anew.
  const kms = encryption?.healthChecks ?? [];
  const ready = [
    ...alive,
    { name: 'etcd-readiness', check: storeCheck(store, readyTimeoutMs) },
    cachesCheck(registry),
    ...kms,
    ...hooks,
    shutdownCheck(isStopping),
  ];
  return {
    healthz: [...always, ...kms, ...hooks],
    livez: [...always, ...(livezGraceMs > 0 ? patient : hooks)],
    readyz: ready,
    observe,
  };
}

/** The store answers a linearizable read in time. */
const storeCheck =
  (store: Store, timeoutMs: number) =>
  async (signal: AbortSignal): Promise<void> => {
    await store.currentRevision(AbortSignal.any([signal, timeLimit(timeoutMs)]));
  };

/** Every watch cache that is in use is filled and has a watch on the store. */
const cachesCheck = (registry: RegistryCatalog): HealthCheck => ({
  name: 'informer-sync',
  check: () => {
    const behind = registry.stores
      .filter((store) => store.isOpen && !store.storage.ready())
      .map((store) => store.resourceName);
    if (behind.length > 0) throw new Error(`not synced: ${behind.join(', ')}`);
  },
});

/** How often a line is written to find out whether the log takes it. */
const logCheckMs = 60_000;

/** The log can be written: a server that cannot tell what it does is to be replaced. */
function logCheck(log: Pick<Logger, 'debug'>, clock: Clock): HealthCheck {
  let nextAt = -Infinity;
  return {
    name: 'log',
    check() {
      if (clock.now() < nextAt) return;
      log.debug({}, 'the log is checked');
      nextAt = clock.now() + logCheckMs;
    },
  };
}

/** A server that is about to stop gets no new clients. */
const shutdownCheck = (isStopping: () => boolean): HealthCheck => ({
  name: 'shutdown',
  check: () => {
    if (isStopping()) throw new Error('process is shutting down');
  },
});
