/** What the server does for services beside requests: the kubernetes service, and the repair of what services hold. */
import { parseIp } from '../../machinery/formats/addresses.ts';
import type { Codecs } from '../../machinery/codec/index.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { ServiceRanges } from '../../registry/core/services/allocation/service-ranges.ts';
import { createInternalStorageCodec } from '../../registry/generic/internal-storage-codec.ts';
import type { Logger } from '../../base/logger.ts';
import type { StorageMediaType } from '../../registry/generic/storage-codec.ts';
import type { Store } from '../../storage/interface.ts';
import {
  createLeaseReconciler,
  createMasterCountReconciler,
  type EndpointReconciler,
  noReconciler,
} from './endpoint-reconcilers.ts';
import { endsWithin } from '../../server/shutdown-timeout.ts';
import type { LoopbackClient } from '../loopback/loopback-client.ts';
import { KubernetesService, kubernetesServiceIntervalMs } from './kubernetes-service.ts';
import { defaultServiceCidrIntervalMs, syncDefaultServiceCidr } from './default-service-cidr.ts';
import { MasterLeases } from './master-leases.ts';
import { PublishedEndpoints } from './published-endpoints.ts';

export interface ServiceControllersConfig {
  /** Under which the members of the cluster reach this server; loopback where the machine has no other. */
  readonly publicAddress: string;
  /** 0: the kubernetes service has no node port. */
  readonly kubernetesNodePort: number;
  readonly endpointReconciler: 'lease' | 'master-count' | 'none';
  readonly apiServerCount: number;
  /** Where the leases of the servers of a cluster are. */
  readonly leases: { readonly store: Store; readonly prefix: string; readonly mediaType: StorageMediaType };
}

export interface ServiceControllersOptions {
  readonly config: ServiceControllersConfig;
  readonly log: Logger;
  readonly registry: RegistryCatalog;
  readonly ranges: ServiceRanges;
  readonly codecs: Codecs;
  readonly writer: LoopbackClient;
  /** It is open before anything here runs. */
  readonly serving: { readonly port: number };
}

export interface ServiceControllers {
  /** Once, before the server is ready. Throws StorageError when a range could not be repaired. */
  prepare(): Promise<void>;
  /** Each to be repeated so often. */
  readonly tasks: readonly { readonly everyMs: number; run(): Promise<void> }[];
  /** This server is no longer published, nor will it be. The other tasks go on. */
  stop(): Promise<void>;
}

const repairIntervalMs = 3 * 60 * 1000;
/** A store that is away must not keep the server from stopping. */
const stopTimeoutMs = 3000;
/** How long a server that does not renew its lease is still published. */
const leaseTtlSeconds = 15;

const nothing: ServiceControllers = { prepare: () => Promise.resolve(), tasks: [], stop: () => Promise.resolve() };

export function createServiceControllers(options: ServiceControllersOptions): ServiceControllers {
  const { log, registry, ranges } = options;
  if (registry.storeOf('', 'services') === undefined) return nothing;
  let kubernetes: KubernetesService | undefined;
  let isStopped = false;
  const sync = async (): Promise<void> => {
    await kubernetes?.sync().catch((error: unknown) => {
      if (!isStopped) log.warn({ err: error }, 'the kubernetes service could not be brought up to date');
    });
  };
  const { defaultCidrs: cidrs } = ranges;
  const syncRanges = async (): Promise<void> => {
    if (cidrs !== undefined)
      await syncDefaultServiceCidr({ writer: options.writer, cidrs, now: () => new Date(), log });
  };
  return {
    async prepare() {
      await syncRanges();
      await ranges.repair();
      if (isStopped) return;
      kubernetes = createKubernetesService(options);
      await kubernetes.withdrawStale();
      await sync();
    },
    tasks: [
      { everyMs: repairIntervalMs, run: () => ranges.repair() },
      { everyMs: kubernetesServiceIntervalMs, run: sync },
      ...(cidrs === undefined ? [] : [{ everyMs: defaultServiceCidrIntervalMs, run: syncRanges }]),
    ],
    async stop() {
      isStopped = true;
      if (kubernetes !== undefined)
        await endsWithin(
          { ms: stopTimeoutMs, what: 'taking this server out of the kubernetes service', log },
          kubernetes.stop(),
        );
    },
  };
}

function createKubernetesService(options: ServiceControllersOptions): KubernetesService {
  const { config, log, ranges, writer } = options;
  return new KubernetesService({
    writer,
    reconciler: createReconciler(options),
    log,
    clusterIp: ranges.primary.valueOf(0),
    port: options.serving.port,
    nodePort: config.kubernetesNodePort,
  });
}

function createReconciler({
  config,
  log,
  codecs,
  serving: { port },
  writer,
}: ServiceControllersOptions): EndpointReconciler {
  const { publicAddress: ip, leases } = config;
  if (config.endpointReconciler === 'none') return noReconciler;
  if (isLoopback(ip)) {
    log.info({ address: ip }, 'this machine has a loopback address only: the kubernetes service gets no endpoint');
    return noReconciler;
  }
  const options = {
    endpoints: new PublishedEndpoints(writer),
    ip,
    ports: [{ name: 'https', port, protocol: 'TCP' as const }],
  };
  if (config.endpointReconciler === 'master-count')
    return createMasterCountReconciler({ ...options, count: config.apiServerCount });
  const storageCodec = createInternalStorageCodec({
    apiVersion: 'v1',
    kind: 'Endpoints',
    typeId: 'core/v1.Endpoints',
    codecs,
    mediaType: leases.mediaType,
  });
  return createLeaseReconciler({
    ...options,
    leases: new MasterLeases({
      store: leases.store,
      prefix: leases.prefix,
      storageCodec,
      ttlSeconds: leaseTtlSeconds,
    }),
  });
}

/** Endpoints may not be on loopback: for every client that is its own machine. */
function isLoopback(text: string): boolean {
  const ip = parseIp(text);
  return ip !== undefined && (ip.family === 4 ? ip.value >> 24n === 127n : ip.value === 1n);
}
