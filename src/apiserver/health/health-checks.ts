import { timeLimit } from '../../base/time-limit.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { Clock } from '../../base/clock.ts';
import type { Encryption } from '../../storage/encryption/encryption.ts';
import type { Store } from '../../storage/interface.ts';
import type { HealthCheck, HealthChecks, HealthObserver } from '../../server/health.ts';

export interface HealthCheckOptions {
  readonly store: Store;
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
  readonly registry: RegistryCatalog;
  readonly isBootstrapped: () => boolean;
  readonly hasRoles: () => boolean;
  readonly isStopping: () => boolean;
  /** `--livez-grace-period`: until then `/livez` takes for done what a start does. */
  readonly livezGraceMs: number;
  readonly clock: Clock;
  /** Undefined where the server does not wait for its watch caches. */
  readonly isStorageReady: (() => boolean) | undefined;
  readonly encryption: Encryption | undefined;
  readonly observe: HealthObserver;
}

/** What has to be well for `/livez`, and beyond that for `/readyz`. */
export function createHealthChecks({
  store,
  healthTimeoutMs,
  readyTimeoutMs,
  registry,
  isBootstrapped,
  hasRoles,
  isStopping,
  livezGraceMs,
  clock,
  isStorageReady,
  encryption,
  observe,
}: HealthCheckOptions): HealthChecks {
  const ping: HealthCheck = { name: 'ping', check: () => undefined };
  const hooks = [
    hookCheck('bootstrap-controller', isBootstrapped, 'the bootstrap objects are not there yet'),
    hookCheck('rbac/bootstrap-roles', hasRoles, 'the default roles are not there yet'),
    ...(isStorageReady === undefined
      ? []
      : [hookCheck('storage-readiness', isStorageReady, 'not all watch caches are filled yet')]),
    ...(encryption?.reloads === true
      ? [hookCheck('start-encryption-provider-config-automatic-reload', () => true, '')]
      : []),
  ];
  const graceEnds = clock.now() + livezGraceMs;
  const patient = hooks.map(
    ({ name, check }): HealthCheck => ({
      name,
      check: (signal) => (clock.now() <= graceEnds ? undefined : check(signal)),
    }),
  );
  const always = [ping, { name: 'etcd', check: storeCheck(store, healthTimeoutMs) }];
  // A key that is out of reach is no reason to start the server anew.
  const kms = encryption?.healthChecks ?? [];
  const ready = [
    ping,
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

/** Something that is done once, after the start. */
const hookCheck = (name: string, isDone: () => boolean, problem: string): HealthCheck => ({
  name: `poststarthook/${name}`,
  check: () => {
    if (!isDone()) throw new Error(problem);
  },
});

/** A server that is about to stop gets no new clients. */
const shutdownCheck = (isStopping: () => boolean): HealthCheck => ({
  name: 'shutdown',
  check: () => {
    if (isStopping()) throw new Error('process is shutting down');
  },
});
