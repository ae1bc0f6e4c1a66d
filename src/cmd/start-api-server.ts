/** Starts the API server that a configuration describes: opens its stores, and owns them. */
import { startApiServer as start } from '../apiserver/api-server.ts';
import { openEmbeddedStore } from '../storage/embedded/open.ts';
import type { ApiServerConfig, StartApiServer, StoreConfig } from './config.ts';
import { usesWatchCache } from './flags/api-server/watch-cache-sizes.ts';
import { openEtcdStores, type OpenStores } from './open-etcd.ts';

export const startApiServer: StartApiServer = async (config) => {
  const stores = await openStores(config.store, config);
  try {
    const server = await start(serverConfig(config, stores));
    return {
      url: `https://${hostOf(config.listen.address)}:${server.port}`,
      ready: server.bootstrapped,
      handle: server.handle,
      close: async () => {
        await server.close();
        await stores.close();
        await config.files.stop();
      },
    };
  } catch (error) {
    await stores.close();
    await config.files.stop();
    throw error;
  }
};

async function openStores(store: StoreConfig, config: ApiServerConfig): Promise<OpenStores> {
  if (store.kind === 'etcd') return openEtcdStores(store, config);
  const main = await openEmbeddedStore(
    store.directory === undefined ? {} : { directory: store.directory, log: config.log },
  );
  return { main, overrides: new Map(), close: async () => main[Symbol.asyncDispose]() };
}

/** What the server itself is started with. */
export function serverConfig(config: ApiServerConfig, stores: OpenStores): Parameters<typeof start>[0] {
  const { options, listen } = config;
  const { serving, storage, services, admission, flowControl } = options;
  return {
    serving: {
      address: listen.address,
      port: listen.port,
      publicAddress: config.publicAddress,
      externalHostname: serving.externalHostname ?? config.publicAddress,
      tls: config.serving,
      sharePort: serving.permitPortSharing,
      goAwayChance: serving.goawayChance,
      cors: {
        allowedOrigins: serving.corsAllowedOrigins,
        transportSecurity: serving.strictTransportSecurityDirectives,
      },
      maxStreamsPerConnection: serving.http2MaxStreamsPerConnection,
      requestTimeoutMs: serving.requestTimeoutMs,
      minRequestTimeoutSeconds: serving.minRequestTimeoutSeconds,
      shutdown: {
        delayMs: serving.shutdownDelayMs,
        sendRetryAfter: serving.shutdownSendRetryAfter,
        watchGraceMs: serving.shutdownWatchTerminationGracePeriodMs,
      },
      livezGraceMs: serving.livezGracePeriodMs,
    },
    inFlight: { readOnly: flowControl.maxRequestsInflight, mutating: flowControl.maxMutatingRequestsInflight },
    authorization: config.authorization,
    authentication: config.authentication,
    ...(config.audit === undefined ? {} : { audit: config.audit }),
    metrics: config.metrics,
    groupVersions: config.groupVersions,
    featureGates: config.featureGates,
    storage: {
      store: stores.main,
      overrides: stores.overrides,
      prefix: storage.prefix,
      mediaType: storage.mediaType as Parameters<typeof start>[0]['storage']['mediaType'],
      usesWatchCache: (group, resource) => usesWatchCache(storage, group, resource),
      eventTtlMs: storage.eventTtlMs,
      leaseReuseSeconds: storage.leaseReuseDurationSeconds,
      deleteCollectionWorkers: storage.deleteCollectionWorkers,
      garbageCollection: storage.enableGarbageCollector,
      compactionIntervalMs: storage.compactionIntervalMs,
      countPollMs: storage.countMetricPollPeriodMs,
      sizePollMs: storage.dbMetricPollIntervalMs,
      healthTimeoutMs: storage.healthcheckTimeoutMs,
      readyTimeoutMs: storage.readycheckTimeoutMs,
      initializationTimeoutMs: storage.initializationTimeoutMs,
      ...(config.encryption === undefined ? {} : { encryption: config.encryption }),
    },
    services: {
      clusterIpRanges: services.clusterIpRanges,
      nodePortRange: services.nodePortRange,
      kubernetesNodePort: services.kubernetesServiceNodePort,
      endpointReconciler: storage.endpointReconcilerType as 'lease' | 'master-count' | 'none',
      apiServerCount: storage.apiserverCount,
    },
    admission: {
      enable: admission.enablePlugins,
      disable: admission.disablePlugins,
      notReadyTolerationSeconds: admission.defaultNotReadyTolerationSeconds,
      unreachableTolerationSeconds: admission.defaultUnreachableTolerationSeconds,
    },
    aggregation: {
      client: config.proxyClient,
      toEndpoints: serving.enableAggregatorRouting,
      rejectRedirects: serving.aggregatorRejectForwardingRedirect,
    },
    allowPrivileged: admission.allowPrivileged,
    stalls: config.stalls,
    version: config.version,
    log: config.log,
    signal: config.signal,
  };
}

/** A host that a client on this machine can use for a server on this address. */
const hostOf = (address: string): string =>
  address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address;
