/**
 * How the parts of a server read and write its API without a connection, and reach what the API names. The directory of
 * stores is filled by the catalog (`resources.ts`), before anything reads.
 */
import { schemas } from '../../api/schemas.ts';
import { createFieldManager, type FieldManager } from '../../machinery/managed-fields/field-manager.ts';
import { ResourceStores } from '../../registry/resource-stores.ts';
import { type CachedObjects, createCachedObjects } from '../loopback/cached-objects.ts';
import { LoopbackClient } from '../loopback/loopback-client.ts';
import { createSharedDecoder, type SharedDecoder } from '../loopback/shared-decoder.ts';
import { WebhookClients } from '../webhooks/webhook-clients.ts';
import { createServiceResolver, type ServiceResolver } from '../webhooks/service-resolver.ts';
import type { SharedDependencies } from './shared-dependencies.ts';

export interface Loopback {
  readonly stores: ResourceStores;
  readonly decode: SharedDecoder;
  readonly objects: CachedObjects;
  readonly fieldManager: FieldManager;
  readonly writer: LoopbackClient;
  readonly resolve: ServiceResolver;
  /** Closed together with the post-start hooks, some of which call webhooks. */
  readonly webhooks: WebhookClients;
}

export function createLoopback({ config, metrics, featureEnabled }: SharedDependencies): Loopback {
  const stores = new ResourceStores();
  const decode = createSharedDecoder();
  const objects = createCachedObjects(stores, decode);
  const fieldManager = createFieldManager({ schemas });
  const resolve = createServiceResolver({ objects, toEndpoints: config.aggregation.toEndpoints });
  return {
    stores,
    decode,
    objects,
    fieldManager,
    writer: new LoopbackClient({ registry: stores, fieldManager, enabled: featureEnabled }),
    resolve,
    webhooks: new WebhookClients({ resolve, observer: metrics.calls, dialers: config.egress?.dialers }),
  };
}
