/** From flags and the files that they name to what a server is started with. */
import type { PluginConfiguration } from '../apiserver/admission/configuration/plugin-configuration.ts';
import type { AuditConfig } from '../apiserver/audit/create-trail.ts';
import type { EncryptionConfig } from '../apiserver/config.ts';
import type { ClientPair } from '../apiserver/aggregation/backends.ts';
import type { NodesConfig } from '../apiserver/nodes/connections.ts';
import type { ServingTls } from '../server/tls/certificate-reload.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import type { StartConfig } from './config.ts';
import { usesWatchCache } from './flags/api-server/watch-cache-sizes.ts';

type ReadMembers =
  | 'authentication'
  | 'authorization'
  | 'debugging'
  | 'egress'
  | 'featureGates'
  | 'files'
  | 'groupVersions'
  | 'log'
  | 'metrics'
  | 'peers'
  | 'signal'
  | 'stalls'
  | 'store'
  | 'tracing'
  | 'version';

/**
 * Flags, and what was read of the files that they name, but for etcd's: their content, or what gives it as it changes.
 */
export interface ReadOptions extends Pick<StartConfig, ReadMembers> {
  /** Validated and completed: anonymous is off where it must be. */
  readonly options: ApiServerOptions;
  /** Port 0 takes a free one. */
  readonly listen: { readonly address: string; readonly port: number };
  /**
   * Where others reach the server: it goes into the endpoints of the kubernetes service and, with the port, into
   * `/api`. A loopback address where the machine has no other: no endpoint can be published then.
   */
  readonly publicAddress: string;
  readonly tls: ServingTls;
  /** How the server proves itself to aggregated API servers. */
  readonly proxyClient: ClientPair | undefined;
  /** How it proves itself to node agents, and what it knows them by. */
  readonly nodeCredentials: Pick<NodesConfig, 'authorities' | 'client'>;
  /** Undefined: nothing is recorded. */
  readonly audit: AuditConfig | undefined;
  readonly pluginConfiguration: PluginConfiguration;
  /** Undefined: values are stored as they are. */
  readonly encryption: EncryptionConfig | undefined;
}

export function startConfigOf({
  options,
  listen: { address, port },
  publicAddress,
  tls,
  proxyClient,
  nodeCredentials,
  audit,
  pluginConfiguration,
  encryption,
  ...read
}: ReadOptions): StartConfig {
  const { serving, storage, services, admission, flowControl, nodeAgent } = options;
  return {
    ...read,
    serving: {
      address,
      port,
      publicAddress,
      externalHostname: serving.externalHostname ?? publicAddress,
      tls,
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
    isFair: flowControl.enablePriorityAndFairness,
    ...(audit === undefined ? {} : { audit }),
    storage: {
      prefix: storage.prefix,
      mediaType: storage.mediaType as StartConfig['storage']['mediaType'],
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
      ...(encryption === undefined ? {} : { encryption }),
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
      configuration: pluginConfiguration,
    },
    aggregation: {
      client: proxyClient,
      toEndpoints: serving.enableAggregatorRouting,
      rejectRedirects: serving.aggregatorRejectForwardingRedirect,
    },
    nodes: {
      ...nodeCredentials,
      preferredAddressTypes: nodeAgent.preferredAddressTypes,
      defaultPort: nodeAgent.port,
      timeoutMs: nodeAgent.timeoutMs,
      maxStreamBytesPerSecond: serving.maxConnectionBytesPerSecond,
    },
    allowPrivileged: admission.allowPrivileged,
  };
}
