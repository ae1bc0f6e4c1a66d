/** What the server does for services beside requests: the kubernetes service, and the repair of what services hold. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Codecs } from '../../machinery/codec/index.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ServiceRanges } from '../../registry/core/services/allocation/service-ranges.ts';
import type { ApiServerConfig } from '../api-server.ts';
import type { InternalWriter } from './internal-writer.ts';
import { KubernetesService, kubernetesServiceIntervalMs } from './kubernetes-service.ts';

export interface ServiceUpkeepOptions {
  readonly config: ApiServerConfig;
  readonly registry: RegistryCatalog;
  readonly ranges: ServiceRanges;
  readonly codecs: Codecs;
  readonly writer: InternalWriter;
  /** The port that was taken. */
  readonly port: () => number;
}

export interface ServiceUpkeep {
  /** Once, before the server is ready. Throws StorageError when a range could not be repaired. */
  prepare(): Promise<void>;
  /** Each to be repeated so often. */
  readonly tasks: readonly { readonly everyMs: number; run(): Promise<void> }[];
  /** When no task is running any more. */
  stop(): Promise<void>;
}

const repairIntervalMs = 3 * 60 * 1000;
/** A store that is away must not keep the server from stopping. */
const stopTimeoutMs = 3000;

const nothing: ServiceUpkeep = { prepare: () => Promise.resolve(), tasks: [], stop: () => Promise.resolve() };

export function createServiceUpkeep(options: ServiceUpkeepOptions): ServiceUpkeep {
  const { config, registry, ranges, writer, codecs } = options;
  if (registry.storeOf('', 'services') === undefined) return nothing;
  let kubernetes: KubernetesService | undefined;
  const sync = async (): Promise<void> => {
    await kubernetes?.sync().catch((error: unknown) => config.log.warn({ err: error }, 'the kubernetes service could not be brought up to date'));
  };
  return {
    async prepare() {
      await ranges.repair();
      kubernetes = new KubernetesService({ config, writer, codecs, clusterIp: ranges.primary.valueOf(0), port: options.port() });
      await kubernetes.withdrawStale();
      await sync();
    },
    tasks: [{ everyMs: repairIntervalMs, run: () => ranges.repair() }, { everyMs: kubernetesServiceIntervalMs, run: sync }],
    async stop() {
      const timeout = new AbortController();
      await Promise.race([kubernetes?.stop(), sleep(stopTimeoutMs, undefined, { ref: false, signal: timeout.signal }).catch(() => undefined)]);
      timeout.abort();
    },
  };
}
