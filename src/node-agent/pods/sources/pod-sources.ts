/** All sources of pods that the configuration names, and what goes where: mirrors are no pods of their own. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/logger.ts';
import type { Client } from '../../../client/client.ts';
import type { PodWorkers } from '../pod-workers.ts';
import type { PodsConfig } from '../pods-config.ts';
import type { MirrorPods } from '../static/mirror-pods.ts';
import { readStaticFiles, watchStaticFiles } from '../static/static-files.ts';
import { isMirrorPod } from '../static/static-pod.ts';
import { createStaticSource } from '../static/static-source.ts';
import { readStaticUrl } from '../static/static-url.ts';
import { createApiSource } from './api-source.ts';
import type { PodSink, PodSource } from './pod-source.ts';

export interface PodSourcesOptions {
  readonly client: Client | undefined;
  readonly config: PodsConfig;
  readonly workers: PodWorkers;
  readonly mirrors: MirrorPods | undefined;
  readonly clock: Clock;
  readonly nowMs: () => number;
  readonly random: () => number;
  readonly log: Logger;
}

export class PodSources {
  readonly #sources: readonly PodSource[];

  constructor(options: PodSourcesOptions) {
    this.#sources = [...apiSources(options), ...staticSources(options)];
  }

  /** Each has said once which pods there are. */
  get hasSynced(): boolean {
    return this.#sources.every((source) => source.hasSynced);
  }

  start(): void {
    for (const source of this.#sources) source.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.stop()));
  }
}

function apiSources({ client, config, workers, mirrors, ...shared }: PodSourcesOptions): PodSource[] {
  if (client === undefined) return [];
  const sink: PodSink = {
    set(pod) {
      if (!isMirrorPod(pod)) return workers.set(pod);
      mirrors?.set(pod);
      if (pod.metadata.deletionTimestamp !== undefined) void mirrors?.sync(workers.staticPods());
    },
    remove(uid) {
      if (mirrors?.has(uid) !== true) return workers.remove(uid);
      mirrors.remove(uid);
      void mirrors.sync(workers.staticPods());
    },
  };
  return [createApiSource({ client, nodeName: config.nodeName, sink, ...shared })];
}

function staticSources(options: PodSourcesOptions): PodSource[] {
  const { config, workers, mirrors, nowMs, clock, log } = options;
  const { nodeName, staticPods } = config;
  const sink: PodSink = {
    set(pod: Pod) {
      workers.set(pod);
      void mirrors?.sync(workers.staticPods());
    },
    remove: (uid) => workers.remove(uid),
  };
  const { path, url, headers, fileCheckMs, urlCheckMs } = staticPods;
  const shared = { sink, clock, log };
  return [
    ...(path === ''
      ? []
      : [
          createStaticSource({
            ...shared,
            what: path,
            periodMs: fileCheckMs,
            read: () => readStaticFiles(path, { nodeName, nowMs: nowMs() }, log),
            watch: (onChange) => watchStaticFiles(path, onChange),
          }),
        ]),
    ...(url === ''
      ? []
      : [
          createStaticSource({
            ...shared,
            what: url,
            periodMs: urlCheckMs,
            read: (signal) => readStaticUrl(url, headers, { nodeName, nowMs: nowMs() }, signal),
          }),
        ]),
  ];
}
