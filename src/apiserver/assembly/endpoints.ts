/** What answers requests for the server's own resources. */
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { createJsonEncoder } from '../../machinery/managed-fields/json-encoder.ts';
import { createStrategicMerge } from '../../machinery/patch/strategic-merge.ts';
import type { CatalogEntry } from '../../registry/catalog.ts';
import { type EndpointContext, defaultMaxBodyBytes } from '../endpoints/context.ts';
import type { ServedResource } from '../served/served-resource.ts';
import { type ServedParts, serveResource } from '../endpoints/subresource-endpoints.ts';
import type { LargeRequests } from '../large-requests/large-requests.ts';
import { RequestMetrics } from '../metrics/request-metrics.ts';
import { Encoder } from '../representation/encoder.ts';
import { ServedApis } from '../served-apis.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';
import type { Resources } from './resources.ts';
import type { Security } from './security.ts';

/** JSON encodings of objects that are cached for the next reader. */
const representationBudgetBytes = 64 * 1024 * 1024;

export interface Endpoints {
  readonly context: EndpointContext;
  /** Makes what answers requests for one resource, custom ones too. */
  readonly serve: (entry: CatalogEntry) => ServedResource;
  readonly apis: ServedApis;
  readonly requestMetrics: RequestMetrics;
}

export function createEndpoints(
  { config, metrics, groupVersions, featureEnabled, now }: SharedDependencies,
  { fieldManager }: Loopback,
  { authorization, authentication }: Security,
  { registry, admission }: Resources,
  largeRequests: LargeRequests,
  connections: ServedParts['connections'],
): Endpoints {
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
    deleteCollectionWorkers: config.storage.deleteCollectionWorkers,
    largeRequests,
    maxBodyBytes: defaultMaxBodyBytes,
    bodyRead: (request, bytes) => requestMetrics.bodyRead(request, bytes),
    watchListed: (request) => requestMetrics.watchListed(request),
  };
  const serve = (entry: CatalogEntry): ServedResource =>
    serveResource(context, entry, { registry, authentication, store: config.storage.store, connections });
  const apis = new ServedApis({ groupVersions, resources: mapEntries(registry.entries, serve) });
  const requestMetrics = new RequestMetrics(metrics.registry, apis);
  return { context, serve, apis, requestMetrics };
}

const mapEntries = <T, U>(
  entries: ReadonlyMap<string, ReadonlyMap<string, T>>,
  change: (entry: T) => U,
): ReadonlyMap<string, ReadonlyMap<string, U>> =>
  new Map(
    [...entries].map(([apiVersion, resources]) => [
      apiVersion,
      new Map([...resources].map(([name, entry]) => [name, change(entry)])),
    ]),
  );
