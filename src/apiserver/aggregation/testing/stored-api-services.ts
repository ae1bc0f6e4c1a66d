/** APIServices in an embedded store, as the informer of this server sees them. Both end with the test. */
import { onTestFinished } from 'vitest';
import { silentLogger } from '../../../base/logger.ts';
import { createDirectCatalog } from '../../../registry/testing/direct-catalog.ts';
import { openEmbeddedStore } from '../../../storage/embedded/open.ts';
import { ApiServices } from '../api-services.ts';

export interface StoredApiServices {
  readonly services: ApiServices;
  /** Creates or replaces an APIService, or deletes it where there is no specification. */
  store(name: string, spec: object | undefined): Promise<void>;
  /** The same, and waits until the listeners that are there now were told. */
  change(name: string, spec: object | undefined): Promise<void>;
}

/** The informer is not started yet. */
export async function openApiServices(): Promise<StoredApiServices> {
  const embedded = await openEmbeddedStore();
  const resource = createDirectCatalog(embedded, ['apiregistration.k8s.io/v1']).storeOf(
    'apiregistration.k8s.io',
    'apiservices',
  )!;
  const services = new ApiServices(resource, silentLogger);
  onTestFinished(async () => {
    await services.stop();
    await embedded[Symbol.asyncDispose]();
  });
  const store = async (name: string, spec: object | undefined): Promise<void> => {
    const { storage } = resource;
    const key = resource.key('', name);
    const revision = (await storage.get(key, { match: 'mostRecent' }))?.revision;
    if (spec === undefined) return void (await storage.delete(key, revision!));
    const bytes = resource.encode({ metadata: { name }, spec, status: {} } as object);
    if (revision === undefined) await storage.create(key, bytes);
    else await storage.update(key, bytes, revision);
  };
  return {
    services,
    store,
    async change(name, spec) {
      const told = new Promise<void>((resolve) => services.onChange(() => resolve()));
      await store(name, spec);
      await told;
    },
  };
}
