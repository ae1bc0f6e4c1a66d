/**
 * The API server: assembles stores, filters and endpoints, starts what runs beside requests, and owns all of it.
 */
import type tls from 'node:tls';
import { codecs } from '../api/codecs.ts';
import { type GateSettings, isGateOn } from '../api/feature-gates.ts';
import { gated, type GroupVersionInfo, type ResourceInfo } from '../api/resources.ts';
import { schemas } from '../api/schemas.ts';
import type { Logger } from '../base/logger.ts';
import type { VersionInfo } from '../base/version.ts';
import { createJsonForm } from '../machinery/managed-fields/json-form.ts';
import { createFieldManager } from '../machinery/managed-fields/field-manager.ts';
import { createStrategicMerge } from '../machinery/patch/strategic-merge.ts';
import { createCardScanner } from '../machinery/codec/scan.ts';
import { type AdmissionPlugin, createAdmissionChain } from '../registry/admission.ts';
import { type CatalogEntry, createCatalog, type RegistryCatalog } from '../registry/catalog.ts';
import { createServiceRanges } from '../registry/core/services/allocation/service-ranges.ts';
import { createServiceHooks } from '../registry/core/services/hooks.ts';
import type { StorageMediaType } from '../registry/generic/door.ts';
import { createCachedObjectStorage } from '../storage/cache/cached.ts';
import { createDirectObjectStorage } from '../storage/direct.ts';
import type { Store } from '../storage/interface.ts';
import { createLeaseManager } from '../storage/leases.ts';
import type { ObjectCodec, ObjectStorage } from '../storage/objects.ts';
import { createAdmissionPlugins } from './admission/plugins.ts';
import type { Authenticator } from './filters/authentication.ts';
import type { Authorizer } from './filters/authorization.ts';
import { type EndpointContext, defaultMaxBodyBytes } from './endpoints/context.ts';
import { createNonResource } from './endpoints/nonresource.ts';
import { type Catalog, createRouter } from './endpoints/router.ts';
import type { ServedResource } from './endpoints/served.ts';
import { subresourcesOf, virtualResource } from './endpoints/special.ts';
import { Metrics } from './metrics.ts';
import { createHealthChecks } from './health-checks.ts';
import { metricsHandler } from './nonresource/metrics.ts';
import { openApiHandlers } from './nonresource/openapi.ts';
import { Encoder } from './representation/encoder.ts';
import { requestChain } from './request-chain.ts';
import type { Handler } from './request.ts';
import { startBackground } from './background.ts';
import { InternalWriter } from './bootstrap/internal-writer.ts';
import { createServiceUpkeep } from './bootstrap/service-upkeep.ts';
import { listen, type Transport } from './transport/server.ts';

export interface ApiServerConfig {
  readonly serving: {
    readonly address: string;
    /** 0 takes a free port. */
    readonly port: number;
    readonly tls: tls.TlsOptions;
    readonly maxStreamsPerConnection: number;
    /** Under which the members of the cluster reach this server; loopback where the machine has no other. */
    readonly publicAddress: string;
    /** Host name in URLs that this server hands out. */
    readonly externalHostname: string;
    readonly requestTimeoutMs: number;
    readonly minRequestTimeoutSeconds: number;
  };
  /** Most requests at once; 0 means no limit. */
  readonly inFlight: { readonly readOnly: number; readonly mutating: number };
  readonly authenticators: readonly Authenticator[];
  readonly authorizer: Authorizer;
  readonly groupVersions: readonly GroupVersionInfo[];
  /** `--feature-gates` */
  readonly featureGates: GateSettings;
  readonly storage: StorageConfig;
  readonly services: ServicesConfig;
  readonly allowPrivileged: boolean;
  readonly version: VersionInfo;
  readonly log: Logger;
}

export interface StorageConfig {
  readonly store: Store;
  /** Stores of single resources (`--store-servers-overrides`), by `group/resource`. */
  readonly overrides: ReadonlyMap<string, Store>;
  readonly prefix: string;
  readonly mediaType: StorageMediaType;
  readonly usesWatchCache: (group: string, resource: string) => boolean;
  readonly eventTtlMs: number;
  readonly leaseReuseSeconds: number;
  readonly deleteCollectionWorkers: number;
  readonly compactionIntervalMs: number;
  readonly countPollMs: number;
  readonly sizePollMs: number;
  readonly healthTimeoutMs: number;
  readonly readyTimeoutMs: number;
}

export interface ServicesConfig {
  readonly clusterIpRanges: readonly string[];
  readonly nodePortRange: { readonly first: number; readonly last: number };
  /** 0: the kubernetes service has no node port. */
  readonly kubernetesNodePort: number;
  readonly endpointReconciler: 'lease' | 'master-count' | 'none';
  readonly apiServerCount: number;
}

export interface ApiServer extends AsyncDisposable {
  readonly port: number;
  /** Resolves when the bootstrap objects are there. */
  readonly bootstrapped: Promise<void>;
  readonly catalog: RegistryCatalog;
  close(): Promise<void>;
}

/** JSON forms of objects that are kept for the next reader. */
const representationBudgetBytes = 64 * 1024 * 1024;
/** How long running requests may go on after the server was told to stop. */
const shutdownGraceMs = 5000;

export async function startApiServer(config: ApiServerConfig): Promise<ApiServer> {
  const { storage, log } = config;
  const plugins: AdmissionPlugin[] = [];
  const admission = createAdmissionChain(plugins);
  const leases = createLeaseManager({ reuseSeconds: storage.leaseReuseSeconds });
  const storeOf = (group: string, resource: string): Store => storage.overrides.get(`${group}/${resource}`) ?? storage.store;
  const groupVersions = servedGroupVersions(config);
  const serviceRanges = createServiceRanges({
    store: storeOf('', 'services'), prefix: storage.prefix, mediaType: storage.mediaType, codecs,
    clusterIpRanges: config.services.clusterIpRanges, nodePortRange: config.services.nodePortRange, services: () => registry.storeOf('', 'services')!, log,
  });
  const registry: RegistryCatalog = createCatalog({
    groupVersions, schemas, codecs,
    scanner: (typeId, fields) => createCardScanner(schemas, typeId, fields),
    storeOf: ({ group, resourceName }) => storeOf(group, resourceName),
    storePrefix: storage.prefix, mediaType: storage.mediaType,
    openStorage: (info, prefix, codec) => openObjects(config, storeOf(info.group, info.name), info, prefix, codec),
    admission, garbageCollection: true, hooks: new Map([['/services', createServiceHooks({ allocator: serviceRanges.allocator, endpoints: () => registry.storeOf('', 'endpoints'), log })]]),
    eventLease: () => leases.lease(storage.overrides.get('/events') ?? storage.store, storage.eventTtlMs / 1000),
  });
  const fieldManager = createFieldManager({ schemas });
  const now = (): Date => new Date();
  const featureEnabled = (gate: string): boolean => isGateOn(gate, config.featureGates);
  // The registry validates with admission and admission reads through the registry: the list is filled when both are there.
  plugins.push(...createAdmissionPlugins({ registry, fieldManager, now, featureEnabled }));
  const context: EndpointContext = {
    codecs, schemas, admission,
    encoder: new Encoder(representationBudgetBytes),
    fieldManager,
    strategicMerge: createStrategicMerge(schemas),
    toJsonForm: createJsonForm(schemas),
    now, featureEnabled,
    allowPrivileged: config.allowPrivileged,
    minRequestTimeoutSeconds: config.serving.minRequestTimeoutSeconds,
    deleteCollectionWorkers: storage.deleteCollectionWorkers,
    maxBodyBytes: defaultMaxBodyBytes,
  };
  const catalog = servedCatalog(context, registry, config);
  const metrics = new Metrics({ isServed: (apiVersion, resource) => catalog.get(apiVersion)?.has(resource) ?? false });
  const running: { transport?: Transport } = {};
  const nonResources = createNonResource({
    served: { groupVersions }, version: config.version, log,
    health: createHealthChecks({ store: storage.store, healthTimeoutMs: storage.healthTimeoutMs, readyTimeoutMs: storage.readyTimeoutMs, registry, isBootstrapped: () => background.isBootstrapped() }),
    serverAddress: () => `${config.serving.externalHostname}:${running.transport?.port ?? config.serving.port}`,
    extra: new Map<string, Handler>([['/metrics', metricsHandler(metrics)], ...openApiHandlers(config.version, groupVersions)]),
  });
  const handle = requestChain({
    authenticators: config.authenticators, authorizer: config.authorizer, requestTimeoutMs: config.serving.requestTimeoutMs,
    inFlight: config.inFlight, log, metrics, resources: createRouter(context, catalog), nonResources,
  });
  const writer = new InternalWriter({ registry, fieldManager, enabled: featureEnabled });
  const services = createServiceUpkeep({ config, registry, ranges: serviceRanges, codecs, writer, port: () => running.transport?.port ?? config.serving.port });
  const background = startBackground({ config, registry, metrics, services, writer });
  const transport = await listen({
    address: config.serving.address, port: config.serving.port, tls: config.serving.tls,
    maxStreamsPerConnection: config.serving.maxStreamsPerConnection, handle,
  }).catch(async (error: unknown) => {
    await background.stop();
    throw error;
  });
  running.transport = transport;
  background.start();
  const close = async (): Promise<void> => {
    await background.stop();
    const closed = transport.close(shutdownGraceMs);
    // Watches end when their storage does, which lets their connections go.
    await Promise.all(registry.stores.map((store) => store.close()));
    await closed;
  };
  return { port: transport.port, bootstrapped: background.bootstrapped, catalog: registry, close, [Symbol.asyncDispose]: close };
}

/** What discovery shows, in its order: groups by priority, then by name, the versions of a group likewise; nothing that a gate hides. */
function servedGroupVersions({ groupVersions, featureGates }: ApiServerConfig): GroupVersionInfo[] {
  const shown = groupVersions.map((info) => ({ ...info, resources: info.resources.map((resource) => gated(resource, featureGates)) }));
  const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
  return shown.sort((a, b) => b.groupPriority - a.groupPriority || byName(a.group, b.group) || b.versionPriority - a.versionPriority || byName(a.version, b.version));
}

function openObjects({ storage, log }: ApiServerConfig, store: Store, info: ResourceInfo, prefix: string, codec: ObjectCodec): ObjectStorage {
  const indexedFields = info.group === '' && info.name === 'pods' ? ['spec.nodeName'] : [];
  const options = { store, prefix, codec, namespaced: info.namespaced, log };
  return storage.usesWatchCache(info.group, info.name) ? createCachedObjectStorage({ ...options, indexedFields }) : createDirectObjectStorage(options);
}

function servedCatalog(context: EndpointContext, registry: RegistryCatalog, config: ApiServerConfig): Catalog {
  const served = (entry: CatalogEntry): ServedResource => {
    const virtual = virtualResource(context, entry, registry, config);
    return { ...entry, subresources: subresourcesOf(context, entry, registry), ...(virtual === undefined ? {} : { virtual }) };
  };
  return new Map([...registry.entries].map(([apiVersion, resources]) => [apiVersion, new Map([...resources].map(([name, entry]) => [name, served(entry)]))]));
}
