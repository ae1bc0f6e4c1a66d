/** The resources of a server, with what a write passes on its way to the store. */
import { codecs } from '../../api/codecs.ts';
import { schemas } from '../../api/schemas.ts';
import { createAttributesScanner } from '../../machinery/codec/attributes-scanner.ts';
import type { Admission } from '../../registry/admission.ts';
import { createCatalog, type RegistryCatalog } from '../../registry/catalog.ts';
import type { ServiceRanges } from '../../registry/core/services/allocation/service-ranges.ts';
import { createSigningRequestHooks } from '../../registry/certificates/certificate-signing-requests/hooks.ts';
import { createServiceHooks } from '../../registry/core/services/hooks.ts';
import type { CleanupStack } from '../../base/cleanup-stack.ts';
import type { PluginServices } from '../admission/plugins.ts';
import { createEscalationHooks } from '../authz/rbac/escalation.ts';
import { createAdmission } from './admission.ts';
import type { SharedDependencies } from './shared-dependencies.ts';
import type { Loopback } from './loopback.ts';
import type { Security } from './security.ts';
import { createObservedServiceRanges } from './service-ranges.ts';
import type { ResourceStorage } from './storage.ts';

export interface Resources {
  readonly registry: RegistryCatalog;
  readonly admission: Admission;
  readonly serviceRanges: ServiceRanges;
  /** What admission plugins in the thread for large requests ask the server for. */
  readonly pluginServices: PluginServices;
}

export function createResources(
  dependencies: SharedDependencies,
  loopback: Loopback,
  resourceStorage: ResourceStorage,
  security: Security,
  cleanup: CleanupStack,
): Resources {
  const { config, groupVersions, metrics } = dependencies;
  const { stores } = loopback;
  const { authorizer, rbac } = security.authorization;
  const serviceRanges = createObservedServiceRanges(dependencies, loopback, resourceStorage);
  const { admission, pluginServices } = createAdmission(dependencies, loopback, security, cleanup);
  const registry = createCatalog({
    stores,
    groupVersions,
    schemas,
    codecs,
    scanner: (typeId, fields) => createAttributesScanner(schemas, typeId, fields),
    storeOf: ({ group, resourceName }) => resourceStorage.storeOf(group, resourceName),
    storePrefix: config.storage.prefix,
    mediaType: config.storage.mediaType,
    openStorage: resourceStorage.open,
    admission,
    garbageCollection: config.storage.garbageCollection,
    hooks: new Map([
      ['/services', createServiceHooks({ allocator: serviceRanges.allocator, stores, log: config.log })],
      ...createEscalationHooks({ authorizer, policy: rbac.policy }),
      ['certificates.k8s.io/certificatesigningrequests', createSigningRequestHooks(metrics.certificateIssued)],
    ]),
    eventLease: resourceStorage.eventLease,
    timesCompared: metrics.timesCompared,
  });
  return { registry, admission, serviceRanges, pluginServices };
}
