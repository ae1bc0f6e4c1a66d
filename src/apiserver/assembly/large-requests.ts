import type { CleanupStack } from '../../base/cleanup-stack.ts';
import { LargeRequests } from '../large-requests/large-requests.ts';
import type { LargeRequestsConfig } from '../large-requests/messages.ts';
import { resourceOf, storesByName } from '../large-requests/named-stores.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Resources } from './resources.ts';
import type { Security } from './security.ts';
import type { ResourceStorage } from './storage.ts';

/** The thread for large requests starts with the first one. */
export function createLargeRequests(
  dependencies: SharedDependencies,
  { storeOf, objectStoreOf }: ResourceStorage,
  { authorization }: Security,
  { pluginServices }: Resources,
  cleanup: CleanupStack,
): LargeRequests {
  const { config, metrics, groupVersions } = dependencies;
  const largeRequests = new LargeRequests({
    config: configOf(dependencies),
    storeOf: storesByName({
      objects: (group, resource) => objectStoreOf(resourceOf(groupVersions, group, resource)),
      plain: storeOf,
    }),
    authorizer: authorization.authorizer,
    admission: metrics.admission,
    pluginServices,
    admissionWebhooks: metrics.admissionWebhooks,
    admissionPolicies: metrics.admissionPolicies,
    podSecurity: metrics.podSecurity,
    customObjects: metrics.customObjects,
    dials: metrics.dials,
    log: config.log,
    ...(config.largeRequests === undefined ? {} : { limits: config.largeRequests }),
  });
  cleanup.add(() => largeRequests.close());
  return largeRequests;
}

/** What decides what a write means. */
function configOf({ config, groupVersions }: SharedDependencies): LargeRequestsConfig {
  const { storage, services, featureGates, admission, allowPrivileged, aggregation, egress } = config;
  return {
    groupVersions,
    featureGates,
    admission,
    allowPrivileged,
    servicesToEndpoints: aggregation.toEndpoints,
    egress: egress?.configuration,
    services: { clusterIpRanges: services.clusterIpRanges, nodePortRange: services.nodePortRange },
    storagePrefix: storage.prefix,
    mediaType: storage.mediaType,
    garbageCollection: storage.garbageCollection,
    eventTtlMs: storage.eventTtlMs,
    leaseReuseSeconds: storage.leaseReuseSeconds,
  };
}
