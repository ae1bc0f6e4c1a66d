/** What runs beside requests: bootstrap objects, and the polls behind metrics. Everything ends with `stop`. */
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../base/logger.ts';
import { qualified } from '../../machinery/status.ts';
import { systemClock } from '../../base/clock.ts';
import { type Compactor, startCompactor } from '../../storage/compactor.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import type { StorageVersionBarrier } from '../bootstrap/storage-version-barrier.ts';
import type { IdentityTask } from '../bootstrap/server-identity.ts';
import { ensureTrackingSince } from '../bootstrap/legacy-token-tracking.ts';
import { bootstrapPolicy } from '../authz/rbac/bootstrap-policy/policy.ts';
import { reconcilePolicy } from '../bootstrap/rbac/reconcile.ts';
import { publishAuthenticationTrust, trustIntervalMs } from '../bootstrap/cluster-authentication-trust.ts';
import { createSystemNamespaces, createSystemPriorityClasses } from '../bootstrap/objects.ts';
import type { Aggregation } from '../aggregation/setup.ts';
import type { CachedObjects } from '../loopback/cached-objects.ts';
import type { Store } from '../../storage/interface.ts';
import type { AuthenticationConfig } from '../authn/authentication.ts';
import type { ServiceControllers } from '../bootstrap/service-controllers.ts';
import type { FlowControlReader } from '../bootstrap/flow-control-configuration.ts';
import { createBootstrapObjectsController } from '../bootstrap/bootstrap-objects-controller.ts';
import type { CustomResourceParts } from '../custom-resources/setup.ts';
import { endsWithin } from '../../server/shutdown-timeout.ts';
import type { Metrics } from '../metrics/metrics.ts';
import type { HealthCheck } from '../../server/health.ts';
import { type HookName, HookProgress } from './hook-progress.ts';
import { waitForStorage } from './storage-readiness.ts';

/** What is done for the store at intervals, and once at the start. */
export interface StorageUpkeep {
  readonly store: Store;
  /** Stores of single resources (`--store-servers-overrides`), by `group/resource`. */
  readonly overrides: ReadonlyMap<string, Store>;
  readonly compactionIntervalMs: number;
  /** 0: objects are not counted. */
  readonly countPollMs: number;
  /** 0: the size is not measured. */
  readonly sizePollMs: number;
  /** How long the server waits for watch caches, where it does before it is ready. */
  readonly initializationTimeoutMs: number;
}

/** What the queues of requests are told. */
export interface FairQueuingUpkeep {
  readonly control: FlowControlReader & { adjust(): void };
  readonly counts: { set(resource: string, count: number): void };
  readonly adjustmentMs: number;
}

export interface PostStartHooksOptions {
  readonly storage: StorageUpkeep;
  readonly authentication: AuthenticationConfig;
  readonly featureEnabled: (gate: string) => boolean;
  readonly log: Logger;
  readonly registry: RegistryCatalog;
  readonly metrics: Metrics;
  readonly services: ServiceControllers;
  /** How the other servers see this one; begun when the bootstrap objects are there. */
  readonly identity: readonly IdentityTask[];
  readonly writer: LoopbackClient;
  readonly aggregation: Aggregation;
  readonly objects: CachedObjects;
  /** Undefined: requests are counted only. */
  readonly fairQueuing: FairQueuingUpkeep | undefined;
  /** Undefined: this server publishes no storage versions. */
  readonly barrier: Pick<StorageVersionBarrier, 'done'> | undefined;
  /** Elects leaders of daemons until the signal aborts; undefined: they agree among themselves. */
  readonly electing: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Whether a server without the default roles is not of much use. */
  readonly waitsForRoles: boolean;
  readonly customResources: CustomResourceParts;
  /** Whether the encryption configuration is read again when its file changes. */
  readonly reloadsEncryption: boolean;
}

export interface PostStartHooks {
  start(): void;
  stop(): Promise<void>;
  /** One for each hook: whether it is done. */
  readonly checks: readonly HealthCheck[];
  readonly bootstrapped: Promise<void>;
  /** Resolves when the objects exist too that readiness does not wait for. */
  readonly settled: Promise<void>;
}

/** These are done when what they begin has begun. */
const begun: readonly HookName[] = [
  'poststarthook/start-apiserver-admission-initializer',
  'poststarthook/generic-apiserver-start-informers',
  'poststarthook/priority-and-fairness-filter',
  'poststarthook/max-in-flight-filter',
  'poststarthook/storage-object-count-tracker-hook',
  'poststarthook/start-encryption-provider-config-automatic-reload',
  'poststarthook/start-apiextensions-informers',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/start-kube-aggregator-informers',
  'poststarthook/apiservice-status-local-available-controller',
  'poststarthook/apiservice-status-remote-available-controller',
  'poststarthook/apiservice-discovery-controller',
  'poststarthook/kube-apiserver-autoregistration',
  'poststarthook/apiservice-openapi-controller',
  'poststarthook/apiservice-openapiv3-controller',
];

const electionHook = 'poststarthook/start-kube-apiserver-coordinated-leader-election-controller';
const storageVersionHook = 'poststarthook/built-in-resources-storage-version-updater';
const identityHooks = [
  'poststarthook/start-kube-apiserver-identity-lease-controller',
  'poststarthook/start-kube-apiserver-identity-lease-garbage-collector',
] as const;
const fairQueuingHooks = [
  'poststarthook/priority-and-fairness-config-consumer',
  'poststarthook/priority-and-fairness-filter',
] as const;

const retryMs = 1000;
/**
 * Work ends at its next call of the store; the one under way may end, but a store that is away must not keep the server
 * from stopping.
 */
const stopTimeoutMs = 3000;

/** A server without mode RBAC makes them after its start, when callers that waited for it have gone on. */
const rolesDelayMs = 50;

export function createPostStartHooks({
  storage,
  authentication,
  featureEnabled,
  log,
  registry,
  metrics,
  services,
  identity,
  barrier,
  writer: anyWriter,
  customResources,
  aggregation,
  objects,
  fairQueuing,
  electing,
  waitsForRoles,
  reloadsEncryption,
}: PostStartHooksOptions): PostStartHooks {
  const controller = new AbortController();
  const { signal } = controller;
  // Every work beside requests listens to it.
  setMaxListeners(0, signal);
  const writer = anyWriter.until(signal);
  const running: Promise<void>[] = [];
  const waitsForStorage = featureEnabled('WatchCacheInitializationPostStartHook');
  const progress = new HookProgress(
    new Set<HookName>([
      ...(waitsForStorage ? [] : (['poststarthook/storage-readiness'] as const)),
      ...(barrier ? [] : ([storageVersionHook] as const)),
      ...(electing ? [] : ([electionHook] as const)),
      ...(reloadsEncryption ? [] : (['poststarthook/start-encryption-provider-config-automatic-reload'] as const)),
      ...(identity.length > 0 ? [] : identityHooks),
      ...(fairQueuing === undefined ? fairQueuingHooks : (['poststarthook/max-in-flight-filter'] as const)),
    ]),
  );
  let finish: () => void = () => undefined;
  let haveRoles: () => void = () => undefined;
  const bootstrapped = new Promise<void>((resolve) => (finish = resolve));
  const rolesMade = new Promise<void>((resolve) => (haveRoles = resolve));

  const publishTrust = (): Promise<void> => publishAuthenticationTrust(writer, authentication, new Date());
  const trackLegacyTokens = async (): Promise<void> => {
    if (authentication.serviceAccounts !== undefined) await ensureTrackingSince(writer, new Date());
  };
  const untilDone = async (part: string, last: HookName, work: () => Promise<void>): Promise<void> => {
    while (!signal.aborted && !progress.isDone(last)) {
      try {
        await work();
        progress.done(last);
      } catch (error) {
        if (signal.aborted) break;
        log.warn({ err: error }, `the bootstrap ${part} could not be made yet`);
        await pause(retryMs, signal);
      }
    }
  };
  const bootstrap = async (): Promise<void> => {
    await untilDone('objects', 'poststarthook/bootstrap-controller', async () => {
      await createSystemNamespaces(writer);
      progress.done('poststarthook/start-system-namespaces-controller');
      await createSystemPriorityClasses(writer);
      progress.done('poststarthook/scheduling/bootstrap-system-priority-classes');
      await trackLegacyTokens();
      progress.done('poststarthook/start-legacy-token-tracking-controller');
      await publishTrust();
      progress.done('poststarthook/start-cluster-authentication-info-controller');
      await services.prepare();
      progress.done('poststarthook/start-service-ip-repair-controllers');
    });
    if (!waitsForRoles) {
      finish();
      await pause(rolesDelayMs, signal);
    }
    // They lie in namespaces that have just been made.
    const policy = bootstrapPolicy(featureEnabled);
    await untilDone('roles', 'poststarthook/rbac/bootstrap-roles', () => reconcilePolicy(policy, writer, objects));
    if (progress.isDone('poststarthook/rbac/bootstrap-roles')) haveRoles();
    finish();
  };
  const bootstrapObjects = createBootstrapObjectsController({
    writer,
    registry,
    aggregation,
    flowControl: fairQueuing?.control,
    log,
  });
  const countObjects = async (): Promise<void> => {
    for (const store of registry.stores.filter(({ isOpen }) => isOpen)) {
      const resource = qualified(store.groupResource);
      const count = await store.storage.count().catch(() => -1);
      metrics.objects.set({ resource }, count);
      fairQueuing?.counts.set(resource, count);
    }
  };
  const untilKnown = async (objects: { known(): Promise<void> }, ...names: readonly HookName[]): Promise<void> => {
    while (!signal.aborted)
      try {
        await objects.known();
        return progress.done(...names);
      } catch {
        await pause(retryMs, signal);
      }
  };
  const openStorages = async (): Promise<void> => {
    await waitForStorage(registry.stores, { timeoutMs: storage.initializationTimeoutMs, signal, log });
    progress.done('poststarthook/storage-readiness');
  };
  const measureSize = async (): Promise<void> => {
    const { sizeBytes } = await storage.store.status(signal);
    metrics.storageSize.set({ storage_cluster_id: 'etcd-0' }, sizeBytes);
  };

  const compactors = [...new Set([storage.store, ...storage.overrides.values()])].map(
    (store) => () =>
      startCompactor({
        store,
        clock: systemClock,
        intervalMs: storage.compactionIntervalMs,
        log,
        onCompacted: (revision) => registry.compacted(store, revision),
      }),
  );
  const compacting: Compactor[] = [];

  return {
    bootstrapped,
    settled: Promise.all([bootstrapObjects.settled, rolesMade]).then(() => undefined),
    checks: progress.checks,
    start() {
      running.push(bootstrap().then(() => bootstrapObjects.run(signal)));
      for (const task of identity)
        running.push(
          bootstrapped.then(() => repeat(() => task.run(), task.everyMs, signal, log, { retryMs: task.retryMs })),
        );
      void bootstrapped.then(() => progress.done(...identityHooks));
      customResources.start();
      aggregation.start();
      progress.done(...begun);
      running.push(untilKnown(customResources, 'poststarthook/crd-informer-synced'));
      running.push(
        untilKnown(
          aggregation,
          'poststarthook/apiservice-registration-controller',
          'poststarthook/apiservice-wait-for-first-sync',
        ),
      );
      void bootstrapObjects.flowControlKept.then(() =>
        progress.done(
          'poststarthook/priority-and-fairness-config-producer',
          'poststarthook/priority-and-fairness-config-consumer',
        ),
      );
      void barrier?.done.then(() => progress.done(storageVersionHook));
      void aggregation.registered.then(() => progress.done('autoregister-completion'));
      if (waitsForStorage) running.push(openStorages());
      compacting.push(...compactors.map((start) => start()));
      running.push(repeat(publishTrust, trustIntervalMs, signal, log, { pauseFirst: true }));
      for (const { everyMs, run } of services.tasks)
        running.push(repeat(run, everyMs, signal, log, { pauseFirst: true }));
      if (electing !== undefined) {
        running.push(bootstrapped.then(() => electing(signal)));
        progress.done(electionHook);
      }
      if (storage.countPollMs > 0) running.push(repeat(countObjects, storage.countPollMs, signal, log));
      if (fairQueuing !== undefined) {
        const adjust = async (): Promise<void> => fairQueuing.control.adjust();
        running.push(repeat(adjust, fairQueuing.adjustmentMs, signal, log));
      }
      if (storage.sizePollMs > 0) running.push(repeat(measureSize, storage.sizePollMs, signal, log));
    },
    async stop() {
      controller.abort();
      await endsWithin(
        { ms: stopTimeoutMs, what: 'work beside requests', log },
        Promise.all([
          ...running,
          customResources.stop(),
          aggregation.stop(),
          ...compacting.map((compactor) => compactor.stop()),
        ]),
      );
      await customResources.close();
      aggregation.close();
    },
  };
}

interface Repetition {
  readonly pauseFirst?: boolean;
  /** The pause after a failure; as usual when absent. */
  readonly retryMs?: number | undefined;
}

async function repeat(
  work: () => Promise<void>,
  everyMs: number,
  signal: AbortSignal,
  log: Logger,
  { pauseFirst = false, retryMs: failedMs = everyMs }: Repetition = {},
): Promise<void> {
  if (pauseFirst) await pause(everyMs, signal);
  while (!signal.aborted) {
    let hasFailed = false;
    await work().catch((error: unknown) => {
      hasFailed = true;
      if (!signal.aborted) log.warn({ err: error }, 'periodic work failed');
    });
    await pause(hasFailed ? failedMs : everyMs, signal);
  }
}

/** Sleeps, or returns at once when it is time to stop. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
