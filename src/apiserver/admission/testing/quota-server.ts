/** ResourceQuota over real quotas, in a store of their own. */
import type { ResourceQuota } from '../../../api/gen/types/core-v1.ts';
import { schemas } from '../../../api/schemas.ts';
import { createFieldManager } from '../../../machinery/managed-fields/field-manager.ts';
import { type AdmissionAttributes } from '../../../registry/admission.ts';
import { createDirectCatalog } from '../../../registry/testing/direct-catalog.ts';
import type { ResourceStore } from '../../../registry/generic/resource-store.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { createSharedDecoder } from '../../loopback/shared-decoder.ts';
import { createCachedObjects } from '../../loopback/cached-objects.ts';
import type { LimitedResource } from '../configuration/plugin-configuration.ts';
import { createResourceQuota } from '../resource-quota.ts';

export interface QuotaServer extends AsyncDisposable {
  /** Lets the plugin judge a write as the server would. */
  validate(attributes: AdmissionAttributes): Promise<void>;
  used(name: string): Promise<Readonly<Record<string, string>> | undefined>;
  get(name: string): Promise<ResourceQuota>;
  /** How many writes of quotas were tried. */
  readonly writes: () => number;
}

/**
 * @param quotas in namespace `team` where they name none; their status is what a controller has left
 * @param gates feature gates that are on
 */
export async function startQuotaServer(
  quotas: readonly ResourceQuota[],
  now: () => Date,
  gates: readonly string[] = [],
  limitedResources: readonly LimitedResource[] = [],
): Promise<QuotaServer> {
  const store = await openEmbeddedStore();
  const registry = createDirectCatalog(store, ['v1']);
  const resource: ResourceStore = registry.storeOf('', 'resourcequotas')!;
  for (const quota of quotas) {
    const { namespace = 'team', name } = quota.metadata;
    await resource.storage.create(
      resource.key(namespace, name!),
      resource.encode({ ...quota, metadata: { ...quota.metadata, namespace } }),
    );
  }
  let writes = 0;
  const { storage } = resource;
  const update = storage.update.bind(storage);
  storage.update = (...args) => {
    writes++;
    return update(...args);
  };
  const plugin = createResourceQuota({
    objects: createCachedObjects(registry, createSharedDecoder()),
    registry,
    fieldManager: createFieldManager({ schemas }),
    now,
    featureEnabled: (gate) => gates.includes(gate),
    limitedResources,
  });
  const get = async (name: string): Promise<ResourceQuota> =>
    resource.decode(await resource.get('team', name, { match: 'mostRecent' })) as ResourceQuota;
  return {
    get,
    writes: () => writes,
    validate: async (attributes) => (plugin.handles(attributes.operation) ? plugin.validate!(attributes) : undefined),
    used: async (name) => (await get(name)).status?.used,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
