/** What runs beside requests: bootstrap objects, and the polls behind metrics. Everything ends with `stop`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { abortable } from '../base/abortable.ts';
import type { Logger } from '../base/logger.ts';
import { systemClock } from '../base/clock.ts';
import { type Compactor, startCompactor } from '../storage/compactor.ts';
import type { RegistryCatalog } from '../registry/catalog.ts';
import type { InternalWriter } from './bootstrap/internal-writer.ts';
import { createBootstrapObjects } from './bootstrap/objects.ts';
import type { ApiServerConfig } from './api-server.ts';
import type { ServiceUpkeep } from './bootstrap/service-upkeep.ts';
import type { Metrics } from './metrics.ts';

export interface BackgroundOptions {
  readonly config: ApiServerConfig;
  readonly registry: RegistryCatalog;
  readonly metrics: Metrics;
  readonly services: ServiceUpkeep;
  readonly writer: InternalWriter;
}

export interface Background {
  start(): void;
  stop(): Promise<void>;
  isBootstrapped(): boolean;
  readonly bootstrapped: Promise<void>;
}

const retryMs = 1000;

export function startBackground({ config, registry, metrics, services, writer }: BackgroundOptions): Background {
  const controller = new AbortController();
  const { signal } = controller;
  const { log, storage } = config;
  const running: Promise<void>[] = [];
  let done = false;
  let finish: () => void = () => undefined;
  const bootstrapped = new Promise<void>((resolve) => (finish = resolve));

  const bootstrap = async (): Promise<void> => {
    while (!signal.aborted && !done) {
      try {
        // A store that is away must not keep the server from stopping.
        await abortable(createBootstrapObjects(writer).then(() => services.prepare()), signal);
        done = true;
      } catch (error) {
        if (signal.aborted) break;
        log.warn({ err: error }, 'the bootstrap objects could not be made yet');
        await pause(retryMs, signal);
      }
    }
    finish();
  };
  const countObjects = async (): Promise<void> => {
    for (const store of registry.stores.filter(({ isOpen }) => isOpen)) {
      const name = store.group === '' ? store.resourceName : `${store.resourceName}.${store.group}`;
      metrics.objects.set({ resource: name }, await store.storage.count().catch(() => -1));
    }
  };
  const measureSize = async (): Promise<void> => {
    const { sizeBytes } = await storage.store.status(signal);
    metrics.storageSize.set({ storage_cluster_id: 'etcd-0' }, sizeBytes);
  };

  const compactors = [...new Set([storage.store, ...storage.overrides.values()])].map((store) => () =>
    startCompactor({ store, clock: systemClock, intervalMs: storage.compactionIntervalMs, log, onCompacted: (revision) => registry.compacted(store, revision) }));
  const compacting: Compactor[] = [];

  return {
    bootstrapped,
    isBootstrapped: () => done,
    start() {
      running.push(bootstrap());
      compacting.push(...compactors.map((start) => start()));
      for (const { everyMs, run } of services.tasks) running.push(repeat(run, everyMs, signal, log, true));
      if (storage.countPollMs > 0) running.push(repeat(countObjects, storage.countPollMs, signal, log));
      if (storage.sizePollMs > 0) running.push(repeat(measureSize, storage.sizePollMs, signal, log));
    },
    async stop() {
      controller.abort();
      await Promise.all([...running, ...compacting.map((compactor) => compactor.stop())]);
      await services.stop();
    },
  };
}

async function repeat(work: () => Promise<void>, everyMs: number, signal: AbortSignal, log: Logger, pauseFirst = false): Promise<void> {
  if (pauseFirst) await pause(everyMs, signal);
  while (!signal.aborted) {
    await work().catch((error: unknown) => log.warn({ err: error }, 'periodic work failed'));
    await pause(everyMs, signal);
  }
}

/** Sleeps, or returns at once when it is time to stop. */
const pause = (ms: number, signal: AbortSignal): Promise<void> => sleep(ms, undefined, { signal, ref: false }).catch(() => undefined);
