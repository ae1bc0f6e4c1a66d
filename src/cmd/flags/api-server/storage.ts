import { bool, customFlag, duration, file, int, optionalText, section, strings, text } from '../flag.ts';
import type { Flag, FlagOptions, Support } from '../flag.ts';

/** A media type in its canonical spelling. */
const mediaType = (name: string, support: Support, options: FlagOptions & { default: string }): Flag<string> =>
  customFlag(name, support, options, {
    type: 'string',
    parse: (value) => value.replace('/vnd.orch.', '/vnd.kubernetes.'),
    format: (value) => value,
  });

export const storage = section('Storage', {
  servers: strings('store-servers', 'supported', {
    alias: 'etcd-servers',
    help: 'etcd servers, as scheme://host:port. Without any, the embedded store keeps the data.',
  }),
  serversOverrides: strings('store-servers-overrides', 'supported', {
    alias: 'etcd-servers-overrides',
    help:
      'Other etcd servers for single resources: group/resource#servers, the servers separated by semicolons. For ' +
      'built-in resources only; events go by /events.',
  }),
  prefix: text('store-prefix', 'supported', {
    alias: 'etcd-prefix',
    default: '/registry',
    help: 'What all keys in the store begin with.',
  }),
  caFile: file('store-cafile', 'supported', {
    alias: 'etcd-cafile',
    help: "Certificate authorities of etcd's certificate.",
  }),
  certFile: file('store-certfile', 'supported', {
    alias: 'etcd-certfile',
    help: 'Client certificate to show to etcd.',
  }),
  keyFile: file('store-keyfile', 'supported', { alias: 'etcd-keyfile', help: 'Private key of --store-certfile.' }),
  compactionIntervalMs: duration('store-compaction-interval', 'supported', {
    alias: 'etcd-compaction-interval',
    default: '5m0s',
    help:
      'How often history older than one such interval is dropped. Replicas agree on one of them to do ' +
      'it. 0 disables it.',
  }),
  countMetricPollPeriodMs: duration('store-count-metric-poll-period', 'supported', {
    alias: 'etcd-count-metric-poll-period',
    default: '1m0s',
    help: 'How often the objects of each resource are counted for the metrics. 0 disables it.',
  }),
  dbMetricPollIntervalMs: duration('store-db-metric-poll-interval', 'supported', {
    alias: 'etcd-db-metric-poll-interval',
    default: '30s',
    help: "How often the store's size is taken for the metrics. 0 disables it.",
  }),
  healthcheckTimeoutMs: duration('store-healthcheck-timeout', 'supported', {
    alias: 'etcd-healthcheck-timeout',
    default: '2s',
    help: 'How long /livez and /healthz wait for the store.',
  }),
  readycheckTimeoutMs: duration('store-readycheck-timeout', 'supported', {
    alias: 'etcd-readycheck-timeout',
    default: '2s',
    help: 'How long /readyz waits for the store.',
  }),
  initializationTimeoutMs: duration('storage-initialization-timeout', 'supported', {
    default: '1m0s',
    help:
      'With --feature-gates=WatchCacheInitializationPostStartHook=true: how long /readyz waits for all watch ' +
      'caches to fill after the start.',
  }),
  backend: optionalText('storage-backend', 'supported', {
    help: "Kind of store behind --store-servers. 'etcd3' is the only one.",
  }),
  mediaType: mediaType('storage-media-type', 'supported', {
    default: 'application/vnd.kubernetes.protobuf',
    help:
      'How objects are stored: application/vnd.kubernetes.protobuf (also spelled application/vnd.orch.protobuf), ' +
      'application/json or application/yaml. Custom resources are always JSON.',
  }),
  encryptionProviderConfig: file('encryption-provider-config', 'supported', {
    help: 'EncryptionConfiguration document: which resources are stored encrypted, with which keys.',
  }),
  encryptionProviderConfigAutomaticReload: bool('encryption-provider-config-automatic-reload', 'supported', {
    help:
      'Read --encryption-provider-config again when it changes, which is looked for once a minute. All KMS ' +
      'plugins then share one health check, kms-providers.',
  }),
  eventTtlMs: duration('event-ttl', 'supported', { default: '1h0m0s', help: 'How long events are kept.' }),
  leaseReuseDurationSeconds: int('lease-reuse-duration-seconds', 'supported', {
    default: 60,
    help:
      'How long one lease of the store is given to all objects that expire. Shorter means more leases, longer ' +
      'means more objects that vanish at once.',
  }),
  watchCache: bool('watch-cache', 'supported', {
    default: true,
    help: 'Answer reads and watches from memory where that is as good as the store.',
  }),
  watchCacheSizes: strings('watch-cache-sizes', 'supported', {
    help:
      'resource[.group]#size. Size 0 switches the watch cache of the resource off, any other size is the default ' +
      'one: the cache sizes itself.',
  }),
  defaultWatchCacheSize: int('default-watch-cache-size', 'ignored', {
    default: 100,
    help: 'Size of watch caches: they size themselves.',
  }),
  deleteCollectionWorkers: int('delete-collection-workers', 'supported', {
    default: 1,
    help: 'How many objects of one collection are deleted at a time.',
  }),
  enableGarbageCollector: bool('enable-garbage-collector', 'supported', {
    default: true,
    help: 'Leave deletion by propagation policy to the garbage collector. Must be the same for the controller manager.',
  }),
  endpointReconcilerType: text('endpoint-reconciler-type', 'supported', {
    default: 'lease',
    help:
      'How the endpoints of the kubernetes service are kept when there are several API servers: lease, ' +
      'master-count (deprecated) or none.',
  }),
  apiserverCount: int('apiserver-count', 'supported', {
    default: 1,
    deprecated: 'it matters for --endpoint-reconciler-type=master-count only, and lease needs no number.',
    help: 'How many API servers there are, for the endpoint reconciler master-count.',
  }),
});
