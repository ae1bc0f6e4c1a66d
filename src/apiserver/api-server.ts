/**
 * The API server: assembles stores, filters and endpoints, starts what runs beside requests, and owns all of it.
 */
import { randomUUID } from 'node:crypto';
import { codecs } from '../api/codecs.ts';
import { featureGateStates, isGateOn } from '../api/feature-gates.ts';
import { gated, type GroupVersionInfo, type ResourceInfo } from '../api/resources.ts';
import { schemas } from '../api/schemas.ts';
import { systemClock } from '../base/clock.ts';
import { type CleanupStack, withCleanupStack } from '../base/cleanup-stack.ts';
import { qualified } from '../machinery/status.ts';
import { createJsonEncoder } from '../machinery/managed-fields/json-encoder.ts';
import { createFieldManager } from '../machinery/managed-fields/field-manager.ts';
import { createStrategicMerge } from '../machinery/patch/strategic-merge.ts';
import { createAttributesScanner } from '../machinery/codec/attributes-scanner.ts';
import { createAdmissionChain } from '../registry/admission.ts';
import { type CatalogEntry, createCatalog, type RegistryCatalog } from '../registry/catalog.ts';
import { createServiceRanges } from '../registry/core/services/allocation/service-ranges.ts';
import { createServiceHooks } from '../registry/core/services/hooks.ts';
import type { WriteHooks } from '../registry/generic/write.ts';
import { ResourceStores } from '../registry/resource-stores.ts';
import { createCachedObjectStorage } from '../storage/cache/cached.ts';
import { createDirectObjectStorage } from '../storage/direct.ts';
import { StorageCounts } from '../storage/counts.ts';
import { reportStalls } from '../server/stall-detector/report-stalls.ts';
import { Encryption } from '../storage/encryption/encryption.ts';
import type { Store } from '../storage/interface.ts';
import { observeStore } from '../storage/observed-store.ts';
import { createLeaseManager } from '../storage/leases.ts';
import type { ObjectCodec, ObjectStorage } from '../storage/objects.ts';
import { createAdmissionPlugins } from './admission/plugins.ts';
import { createEscalationHooks } from './authz/rbac/escalation.ts';
import { createAuthorization } from './authz/authorization.ts';
import { uses } from './authz/configuration.ts';
import { createAdmissionObjects } from './admission/objects.ts';
import { type Authentication, type AuthenticationConfig, createAuthentication } from './authn/authentication.ts';
import { type AccountKeys, openAccountKeys } from './authn/service-accounts/account-keys.ts';
import { discoveryHandlers } from './authn/service-accounts/discovery.ts';
import { createAuditTrail } from './audit/create-trail.ts';
import type { ApiServerConfig } from './config.ts';
import { deprecationOf } from './endpoints/deprecation.ts';
import { type EndpointContext, defaultMaxBodyBytes } from './endpoints/context.ts';
import { createNonResource } from './nonresource/nonresource.ts';
import { createRouter } from './endpoints/router.ts';
import { setUpAggregation } from './aggregation/setup.ts';
import type { ForwardingOptions } from './aggregation/forwarded-headers.ts';
import { setUpCustomResources } from './custom-resources/setup.ts';
import { ServedApis } from './served-apis.ts';
import { WebhookClients } from './webhooks/clients.ts';
import { createServiceResolver } from './webhooks/service-resolver.ts';
import type { ServedResource } from './endpoints/served.ts';
import { subresourcesOf, virtualResource } from './endpoints/special.ts';
import { longestWatchMs } from './endpoints/verbs/watch.ts';
import { LargeRequests } from './large-requests/large-requests.ts';
import { largeRequestsConfig, resourceOf, storesByName } from './large-requests/setup.ts';
import { Metrics } from './metrics/metrics.ts';
import { RequestMetrics } from './metrics/request-metrics.ts';
import { createHealthChecks } from './health-checks.ts';
import { createAllocationMetrics, showRangeUsage } from './metrics/allocation-metrics.ts';
import { createAllocationEvents } from './bootstrap/allocation-events.ts';
import { createEncryptionMetrics } from './metrics/encryption-metrics.ts';
import { type CountedStorage, createStorageMetrics, type StorageMetrics } from './metrics/storage-metrics.ts';
import { createProcessMetrics } from '../server/metrics/process-metrics.ts';
import { openApiHandlers } from './nonresource/openapi.ts';
import { Encoder } from './representation/encoder.ts';
import { requestChain } from './request-chain.ts';
import type { ApiResponse, Caller, Exchange } from '../server/exchange.ts';
import type { Handler } from './request.ts';
import { createSharedDecoder } from './shared-decoder.ts';
import { createPostStartHooks } from './post-start-hooks.ts';
import { LoopbackClient } from './bootstrap/loopback-client.ts';
import { legacyTokenMarks } from './bootstrap/legacy-token-marks.ts';
import { createServiceControllers } from './bootstrap/service-controllers.ts';
import { Lifecycle } from '../server/lifecycle.ts';
import { letClientsGo } from './shutdown.ts';
import { reportEvictions } from '../server/report-evictions.ts';
import { listen, type Transport } from '../server/listener.ts';

export interface ApiServer extends AsyncDisposable {
  readonly port: number;
  /** Resolves when the bootstrap objects are there. */
  readonly bootstrapped: Promise<void>;
  /** Resolves when the server has made everything it makes at its start, which goes on while it is used. */
  readonly settled: Promise<void>;
  readonly catalog: RegistryCatalog;
  /** Sends a request that came by another way than the port through the whole chain. */
  readonly handle: (exchange: Exchange, caller?: Caller) => Promise<ApiResponse>;
  close(): Promise<void>;
}

/** JSON encodings of objects that are cached for the next reader. */
const representationBudgetBytes = 64 * 1024 * 1024;
/** How long clients have to leave their connections when nothing is under way on them any more. */
const lingerMs = 2000;

/** Rejects with nothing left open; the stores are the caller's. */
export const startApiServer = (config: ApiServerConfig): Promise<ApiServer> =>
  withCleanupStack((cleanup) => start(config, cleanup));

async function start(config: ApiServerConfig, cleanup: CleanupStack): Promise<ApiServer> {
  const { storage, log } = config;
  const serverId = randomUUID();
  const metrics = new Metrics({ settings: config.metrics, serverId });
  const featureEnabled = (gate: string): boolean => isGateOn(gate, config.featureGates);
  const accountKeys = await openAccountKeys(config.authentication.serviceAccounts, {
    registry: metrics.registry,
    log,
    signal: config.signal,
  });
  cleanup.add(() => accountKeys?.close());
  const encryption =
    storage.encryption === undefined
      ? undefined
      : await Encryption.open({
          ...storage.encryption,
          kmsV1: featureEnabled('KMSv1'),
          observer: createEncryptionMetrics(metrics.registry, serverId),
          log,
        });
  cleanup.add(() => encryption?.close());
  const stores = new ResourceStores();
  const storageMetrics = createStorageMetrics(metrics.registry, () => openedStorages(stores, storage.prefix));
  const storeOf = (group: string, resource: string): Store =>
    storage.overrides.get(`${group}/${resource}`) ?? storage.store;
  const observedStore = (info: Pick<ResourceInfo, 'group' | 'name' | 'storage' | 'apiVersion'>): Store =>
    objectStore(storageMetrics, encryption, storeOf(info.group, info.name), info);
  const openStorage = (info: ResourceInfo, prefix: string, codec: ObjectCodec): ObjectStorage =>
    openObjects(config, storageMetrics, observedStore(info), info, prefix, codec);
  const leases = createLeaseManager({ reuseSeconds: storage.leaseReuseSeconds });
  const groupVersions = servedGroupVersions(config);
  const fieldManager = createFieldManager({ schemas });
  const now = (): Date => new Date();
  const decode = createSharedDecoder();
  const objects = createAdmissionObjects(stores, decode);
  const writer = new LoopbackClient({ registry: stores, fieldManager, enabled: featureEnabled });
  const resolve = createServiceResolver({ objects, toEndpoints: config.aggregation.toEndpoints });
  const webhooks = new WebhookClients({ resolve, observer: metrics.calls });
  cleanup.add(() => webhooks.close());
  const authorization = createAuthorization({
    config: config.authorization,
    registry: stores,
    decode,
    log,
    featureEnabled,
    metrics: metrics.authorization,
    webhooks,
  });
  cleanup.add(() => authorization.stop());
  const admission = createAdmissionChain(
    createAdmissionPlugins({
      settings: config.admission,
      registry: stores,
      objects,
      authorizer: authorization.authorizer,
      fieldManager,
      now,
      featureEnabled,
    }),
    metrics.admission,
  );
  const allocations = createAllocationMetrics(metrics.registry);
  const allocationEvents = createAllocationEvents({ writer, now, log });
  const serviceRanges = createServiceRanges({
    store: storeOf('', 'services'),
    prefix: storage.prefix,
    mediaType: storage.mediaType,
    codecs,
    clusterIpRanges: config.services.clusterIpRanges,
    nodePortRange: config.services.nodePortRange,
    stores,
    log,
    observer: {
      ...allocations,
      found: (range, finding) => (allocations.found(range, finding), allocationEvents(range, finding)),
    },
  });
  showRangeUsage(metrics.registry, serviceRanges);
  const hooks = new Map<string, WriteHooks>([
    ['/services', createServiceHooks({ allocator: serviceRanges.allocator, stores, log })],
    ...createEscalationHooks({ authorizer: authorization.authorizer, policy: authorization.rbac.policy }),
  ]);
  const registry = createCatalog({
    stores,
    groupVersions,
    schemas,
    codecs,
    scanner: (typeId, fields) => createAttributesScanner(schemas, typeId, fields),
    storeOf: ({ group, resourceName }) => storeOf(group, resourceName),
    storePrefix: storage.prefix,
    mediaType: storage.mediaType,
    openStorage,
    admission,
    garbageCollection: storage.garbageCollection,
    hooks,
    eventLease: () => leases.lease(storage.overrides.get('/events') ?? storage.store, storage.eventTtlMs / 1000),
  });
  const largeRequests = new LargeRequests({
    config: largeRequestsConfig(config, groupVersions),
    storeOf: storesByName({
      objects: (group, resource) => observedStore(resourceOf(groupVersions, group, resource)),
      plain: storeOf,
    }),
    authorizer: authorization.authorizer,
    admission: metrics.admission,
    log,
    ...(config.largeRequests === undefined ? {} : { limits: config.largeRequests }),
  });
  cleanup.add(() => largeRequests.close());
  const context: EndpointContext = {
    codecs,
    schemas,
    admission,
    authorizer: authorization.authorizer,
    encoder: new Encoder(representationBudgetBytes),
    fieldManager,
    strategicMerge: createStrategicMerge(schemas),
    toEncodedJson: createJsonEncoder(schemas),
    now,
    featureEnabled,
    deprecatedUse: ({ info }, subresource, removed) => metrics.deprecatedUse(info, subresource, removed),
    watchEvents: (group, version, kind) => metrics.watchEvents(group, version, kind),
    allowPrivileged: config.allowPrivileged,
    minRequestTimeoutSeconds: config.serving.minRequestTimeoutSeconds,
    deleteCollectionWorkers: storage.deleteCollectionWorkers,
    largeRequests,
    maxBodyBytes: defaultMaxBodyBytes,
  };
  const authentication = createAuthentication(config.authentication, {
    accountKeys,
    objects,
    metrics: metrics.authentication,
    webhooks,
    log,
    onLegacyTokenUse: legacyTokenMarks({ writer, now, log }),
  });
  cleanup.add(() => authentication.close());
  const serve = (entry: CatalogEntry): ServedResource =>
    servedResource(entry, context, registry, config, authentication);
  const apis = new ServedApis({
    groupVersions,
    resources: new Map(
      [...registry.entries].map(([apiVersion, resources]) => [
        apiVersion,
        new Map([...resources].map(([name, entry]) => [name, serve(entry)])),
      ]),
    ),
  });
  const requestMetrics = new RequestMetrics(metrics.registry, apis);
  const aggregation = setUpAggregation({
    config: config.aggregation,
    forwarding: forwardingOf(config),
    requestTimeoutMs: config.serving.requestTimeoutMs,
    registry,
    objects,
    resolve,
    apis,
    writer,
    groupVersions,
    metricRegistry: metrics.registry,
    metrics: requestMetrics,
    log,
  });
  cleanup.add(async () => {
    await aggregation.stop();
    aggregation.close();
  });
  const processMetrics = createProcessMetrics(metrics.registry, config.version, featureGateStates(config.featureGates));
  const running: { transport?: Transport } = {};
  const lifecycle = new Lifecycle();
  const serverAddress = (): string =>
    `${config.serving.externalHostname}:${running.transport?.port ?? config.serving.port}`;
  const nonResources = createNonResource({
    served: apis,
    version: config.version,
    log,
    health: createHealthChecks({
      store: storage.store,
      healthTimeoutMs: storage.healthTimeoutMs,
      readyTimeoutMs: storage.readyTimeoutMs,
      registry,
      encryption,
      livezGraceMs: config.serving.livezGraceMs,
      clock: systemClock,
      observe: processMetrics.checked,
      isBootstrapped: () => postStartHooks.isBootstrapped(),
      hasRoles: () => postStartHooks.hasRoles(),
      isStopping: () => lifecycle.isStopping,
      isStorageReady: featureEnabled('WatchCacheInitializationPostStartHook')
        ? () => postStartHooks.isStorageReady()
        : undefined,
    }),
    serverAddress,
    registry: metrics.registry,
    documents: new Map<string, Handler>([
      ...openApiHandlers(config.version, () => apis.ownGroupVersions, aggregation.openApi),
      ...issuerDiscovery(config.authentication, accountKeys, serverAddress),
    ]),
  });
  const audit =
    config.audit === undefined ? undefined : createAuditTrail(config.audit, { counters: metrics.audit, webhooks, log });
  cleanup.add(() => audit?.close());
  const handle = requestChain({
    authenticator: authentication.requests,
    authorizer: authorization.authorizer,
    audit,
    requestTimeoutMs: config.serving.requestTimeoutMs,
    lifecycle,
    shutdown: config.serving.shutdown,
    cors: config.serving.cors,
    goAwayChance: config.serving.goAwayChance,
    inFlight: config.inFlight,
    log,
    metrics,
    requestMetrics,
    aggregationProxy: aggregation.aggregationProxy,
    resources: createRouter(context, apis),
    nonResources,
  });
  const services = createServiceControllers({
    config,
    registry,
    ranges: serviceRanges,
    codecs,
    writer,
    port: () => running.transport?.port ?? config.serving.port,
  });
  const customResources = setUpCustomResources({
    registry,
    apis,
    admission,
    writer,
    serve,
    log,
    storePrefix: storage.prefix,
    apiServerCount: config.services.apiServerCount,
    openStorage,
    webhooks,
  });
  const postStartHooks = createPostStartHooks({
    config,
    registry,
    metrics,
    services,
    writer,
    customResources,
    aggregation,
    objects,
    waitsForRoles: uses(config.authorization.authorizers, 'RBAC'),
  });
  cleanup.add(() => postStartHooks.stop());
  const transport = await listen({
    address: config.serving.address,
    port: config.serving.port,
    tls: config.serving.tls,
    sharePort: config.serving.sharePort,
    maxStreamsPerConnection: config.serving.maxStreamsPerConnection,
    handle,
    onHandshakeError: () => metrics.handshakeFailed(),
    onEvict: reportEvictions(log, metrics),
    // Clients that are asked to come back over another connection keep the watches that they have.
    leaveTimeoutMs: longestWatchMs(config.serving.minRequestTimeoutSeconds) + config.serving.requestTimeoutMs,
  });
  running.transport = transport;
  postStartHooks.start();
  authorization.start();
  const stalls = reportStallsFrom(postStartHooks.bootstrapped, () =>
    reportStalls(config.stalls, { log, registry: metrics.registry }),
  );
  cleanup.add(stalls.end);
  const close = async (): Promise<void> => {
    // Timers alone would let the process end before all is done.
    const hold = setInterval(() => undefined, 2 ** 30);
    await letClientsGo({
      shutdown: config.serving.shutdown,
      lifecycle,
      transport,
      requestTimeoutMs: config.serving.requestTimeoutMs,
      withdraw: () => services.stop(),
      clock: systemClock,
      log,
    });
    await stalls.end();
    await Promise.all([postStartHooks.stop(), webhooks.close()]);
    await largeRequests.close();
    await authentication.close();
    await accountKeys?.close();
    await authorization.stop();
    // Watches end when their storage does, which lets their connections go.
    await Promise.all(registry.stores.map((store) => store.close()));
    await transport.close(lingerMs);
    await encryption?.close();
    await audit?.close();
    clearInterval(hold);
  };
  return {
    port: transport.port,
    bootstrapped: postStartHooks.bootstrapped,
    settled: postStartHooks.settled,
    catalog: registry,
    handle,
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** The thread that it takes is not to be part of what a start takes. */
function reportStallsFrom(ready: Promise<void>, begin: () => () => Promise<void>): { end(): Promise<void> } {
  let isOver = false;
  let end = (): Promise<void> => Promise.resolve();
  void ready.then(() => {
    if (!isOver) end = begin();
  });
  return {
    end: () => {
      isOver = true;
      return end();
    },
  };
}

/**
 * What discovery shows, in its order: groups by priority, then by name, the versions of a group likewise; nothing that
 * a gate hides.
 */
function servedGroupVersions({ groupVersions, featureGates }: ApiServerConfig): GroupVersionInfo[] {
  const shown = groupVersions.map((info) => ({
    ...info,
    resources: info.resources.map((resource) => gated(resource, featureGates)),
  }));
  const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return shown.sort(
    (a, b) =>
      b.groupPriority - a.groupPriority ||
      byName(a.group, b.group) ||
      b.versionPriority - a.versionPriority ||
      byName(a.version, b.version),
  );
}

/** What callers may not say of themselves to servers behind this one: whatever a front proxy of this one could say. */
function forwardingOf({ authentication: { requestHeader }, featureGates }: ApiServerConfig): ForwardingOptions {
  const { usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraHeaderPrefixes = [] } = requestHeader ?? {};
  return {
    frontProxyHeaders: [...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()),
    frontProxyPrefixes: extraHeaderPrefixes.map((prefix) => prefix.toLowerCase()),
    tellUid: isGateOn('RemoteRequestHeaderUID', featureGates),
  };
}

function issuerDiscovery(
  { serviceAccounts }: AuthenticationConfig,
  accountKeys: AccountKeys | undefined,
  serverAddress: () => string,
): ReadonlyMap<string, Handler> {
  if (serviceAccounts === undefined || accountKeys === undefined) return new Map();
  const {
    issuers: [issuer = ''],
    jwksUri,
  } = serviceAccounts;
  return discoveryHandlers({ issuer, jwksUri, keys: accountKeys.keys, serverAddress });
}

/** The store of a resource's objects, in the clear; its calls are counted. */
function objectStore(
  metrics: StorageMetrics,
  encryption: Encryption | undefined,
  plain: Store,
  info: Pick<ResourceInfo, 'group' | 'name' | 'storage' | 'apiVersion'>,
): Store {
  // Events are of the core group in the store, whichever group is asked for them.
  const [group = ''] = (info.storage?.apiVersion ?? info.apiVersion).split('/').slice(0, -1);
  const observed = observeStore(plain, metrics.observerOf(qualified({ group: info.group, resource: info.name })));
  return encryption?.wrap(observed, { group, resource: info.name }) ?? observed;
}

function openObjects(
  { storage, log }: ApiServerConfig,
  metrics: StorageMetrics,
  store: Store,
  info: ResourceInfo,
  prefix: string,
  codec: ObjectCodec,
): ObjectStorage {
  const indexedFields = info.group === '' && info.name === 'pods' ? ['spec.nodeName'] : [];
  const resource = qualified({ group: info.group, resource: info.name });
  const counts = new StorageCounts();
  counts.waited = metrics.waitsOf(resource);
  const options = { store, prefix, codec, counts, namespaced: info.namespaced, log };
  return storage.usesWatchCache(info.group, info.name)
    ? createCachedObjectStorage({ ...options, indexedFields })
    : createDirectObjectStorage(options);
}

const openedStorages = ({ stores }: ResourceStores, storePrefix: string): CountedStorage[] =>
  stores
    .filter(({ isOpen }) => isOpen)
    .map(({ groupResource, storage: { prefix, counts } }) => ({
      resource: qualified(groupResource),
      prefix: prefix.slice(storePrefix.length, -1),
      counts,
    }));

function servedResource(
  entry: CatalogEntry,
  context: EndpointContext,
  registry: RegistryCatalog,
  config: ApiServerConfig,
  authentication: Authentication,
): ServedResource {
  const virtual = virtualResource(context, entry, registry, config, authentication);
  return {
    ...entry,
    deprecation: deprecationOf(context.schemas, entry.servedVersion),
    subresources: subresourcesOf(context, entry, registry, authentication),
    ...(virtual === undefined ? {} : { virtual }),
  };
}
