/** What this server is for the other servers of the cluster, and they for it (UnknownVersionInteroperabilityProxy). */
import { codecs } from '../../api/codecs.ts';
import type { StorageVersion } from '../../api/gen/types/apiserverinternal-v1alpha1.ts';
import { isPair } from '../../base/key-pair.ts';
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { createInternalStorageCodec } from '../../registry/generic/internal-storage-codec.ts';
import type { ResourceStore } from '../../registry/generic/resource-store.ts';
import { createStoreInformer } from '../../registry/store-source.ts';
import { SeriesCounter } from '../../server/metrics/series-counter.ts';
import { endsWithin } from '../../server/shutdown-timeout.ts';
import type { ServingPort } from '../../server/serving-port.ts';
import { Backends } from '../aggregation/backends.ts';
import type { ForwardingOptions } from '../aggregation/forwarded-headers.ts';
import { peerProxiedHeader, peerProxy, type PeerProxyOptions } from '../aggregation/peer-proxy.ts';
import { createProxy } from '../aggregation/proxy.ts';
import type { RemoteApi } from '../aggregation/remote-api.ts';
import type { ApiServerConfig } from '../config.ts';
import { identityOf } from '../bootstrap/identity-lease.ts';
import { peerEndpointIntervalMs, PeerEndpoints } from '../bootstrap/peer-endpoints.ts';
import { StorageVersionBarrier } from '../bootstrap/storage-version-barrier.ts';
import { versionsOf } from '../bootstrap/storage-versions.ts';
import type { Filter } from '../request/request.ts';
import type { Endpoints } from './endpoints.ts';
import type { Resources } from './resources.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

export interface Peers {
  /** Undefined where storage versions are not published. */
  readonly barrier: StorageVersionBarrier | undefined;
  /** Undefined where the gate is off. */
  readonly filter: Filter | undefined;
  /** Each to be repeated so often. */
  readonly tasks: readonly { readonly everyMs: number; run(): Promise<void> }[];
}

const versionsResource = { group: 'internal.apiserver.k8s.io', resource: 'storageversions' };
/** What the certificate of every server of a cluster is for. */
const service = { namespace: 'default', name: 'kubernetes', port: 443 };
/** A store that is away must not keep the server from stopping. */
const stopTimeoutMs = 3000;

export interface PeersSurroundings {
  readonly forwarding: ForwardingOptions;
  readonly serving: ServingPort;
}

export function createPeers(
  dependencies: SharedDependencies,
  { registry }: Resources,
  endpoints: Endpoints,
  { forwarding, serving }: PeersSurroundings,
  cleanup: CleanupStack,
): Peers {
  const { config, metrics, hostname, featureEnabled } = dependencies;
  const versions = registry.storeOf(versionsResource.group, versionsResource.resource);
  const own = identityOf(hostname);
  const hasLeases = registry.storeOf('coordination.k8s.io', 'leases') !== undefined;
  const publishes = hasLeases && ['StorageVersionAPI', 'APIServerIdentity'].every((gate) => featureEnabled(gate));
  const barrier =
    publishes && versions !== undefined ? new StorageVersionBarrier(versionsOf(registry, own).keys()) : undefined;
  if (!featureEnabled('UnknownVersionInteroperabilityProxy') || versions === undefined)
    return { barrier, filter: undefined, tasks: [] };
  const rerouted = new SeriesCounter({
    name: 'apiserver_rerouted_request_total',
    help: 'Requests that were passed on to another server of the cluster, by the code of its answer.',
    registry: metrics.registry,
  });
  const leases = peerEndpointsOf(config);
  return {
    barrier,
    filter: peerProxy({
      isServed: (apiVersion, resource) => endpoints.apis.knows(apiVersion, resource, '') !== 'nothing',
      serversOf: followVersions(versions, own, config, cleanup),
      addressOf: (server) => leases.find(server),
      send: createSend(config, endpoints, forwarding, cleanup),
      onRerouted: (code) => rerouted.series({ code: String(code) }).inc(),
    }),
    tasks: [{ everyMs: peerEndpointIntervalMs, run: publishing(leases, own, { config, serving }, cleanup) }],
  };
}

const peerEndpointsOf = ({ storage: { store, prefix, mediaType } }: ApiServerConfig): PeerEndpoints =>
  new PeerEndpoints({
    store,
    prefix,
    storageCodec: createInternalStorageCodec({
      apiVersion: 'v1',
      kind: 'Endpoints',
      typeId: 'core/v1.Endpoints',
      codecs,
      mediaType,
    }),
  });

/**
 * Which others serve a resource. A StorageVersion may still say of this server what it has served before.
 *
 * @NOTE differs from upstream, which takes a request for served here then.
 */
function followVersions(
  versions: ResourceStore,
  own: string,
  { log }: ApiServerConfig,
  cleanup: CleanupStack,
): PeerProxyOptions['serversOf'] {
  const informer = createStoreInformer({ store: versions, freshness: 'any', log });
  cleanup.add(() => informer.stop());
  informer.start();
  return (group, apiVersion, resource) => {
    const stored = informer.lister.get('', `${group === '' ? 'core' : group}.${resource}`);
    if (stored === undefined) return [];
    const { storageVersions = [] } = (versions.decode(stored) as unknown as StorageVersion).status;
    return storageVersions.flatMap(({ apiServerID = '', servedVersions = [] }) =>
      apiServerID !== own && servedVersions.includes(apiVersion) ? [apiServerID] : [],
    );
  };
}

function createSend(
  { aggregation, serving: { requestTimeoutMs }, peers, log }: ApiServerConfig,
  { requestMetrics }: Endpoints,
  forwarding: ForwardingOptions,
  cleanup: CleanupStack,
): PeerProxyOptions['send'] {
  const backends = new Backends(aggregation.client, isPair);
  cleanup.add(() => backends.close());
  return (request, address) =>
    createProxy({
      backends,
      resolve: () => Promise.resolve(address),
      forwarding: { ...forwarding, added: [[peerProxiedHeader, 'true']] },
      rejectRedirects: true,
      requestTimeoutMs,
      onRefusal: (refused, code) => requestMetrics.terminated(refused, code, 'apiserver'),
      onAbort: (aborted) => requestMetrics.aborted(aborted),
      log,
    })(request, peerOf(peers?.ca?.get()));
}

/** Until the server ends, which withdraws it. */
function publishing(
  leases: PeerEndpoints,
  own: string,
  {
    config: { serving: configured, peers, log },
    serving,
  }: { readonly config: ApiServerConfig; readonly serving: ServingPort },
  cleanup: CleanupStack,
): () => Promise<void> {
  let round: Promise<void> | undefined;
  let isStopped = false;
  cleanup.add(async () => {
    isStopped = true;
    const withdraw = async (): Promise<void> => {
      await round?.catch(() => undefined);
      if (round !== undefined) await leases.withdraw(own).catch(() => undefined);
    };
    await endsWithin({ ms: stopTimeoutMs, what: 'taking this server out of the peers', log }, withdraw());
  });
  return async () => {
    if (isStopped) return;
    const host = peers?.advertiseIp ?? configured.publicAddress;
    await (round = leases.publish(own, { host, port: peers?.advertisePort ?? serving.port }));
  };
}

const peerOf = (ca: string | undefined): RemoteApi => ({
  name: 'peer',
  group: '',
  version: '',
  apiVersion: '',
  groupPriority: 0,
  versionPriority: 0,
  service,
  ca,
  skipVerify: false,
  isAvailable: true,
});
