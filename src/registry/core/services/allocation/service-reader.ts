import type { Service } from '../../../../api/gen/types/core-v1.ts';
import type { StoredObject } from '../../../../storage/objects.ts';
import type { ResourceStore } from '../../../generic/resource-store.ts';
import type { ResourceStores } from '../../../resource-stores.ts';

/** The services that are stored, as a repair looks at them. */
export interface ServiceReader {
  /** `/registry/services/specs/`: every service is under it, and nothing else. */
  readonly prefix: string;
  /** Shows every service as of one revision, which it returns. It is not older than the call. */
  visit(see: (service: StoredObject) => void): Promise<number>;
  decode(stored: StoredObject): Service;
}

const pageSize = 500;

export function createServiceReader(stores: Pick<ResourceStores, 'storeOf'>): ServiceReader {
  const services = (): ResourceStore => stores.storeOf('', 'services')!;
  return {
    get prefix() {
      return services().storage.prefix;
    },
    async visit(see) {
      let page = await services().list({ version: { match: 'mostRecent' }, limit: pageSize });
      const { revision } = page;
      for (;;) {
        page.objects.forEach(see);
        if (page.lastKey === undefined) return revision;
        page = await services().list({ version: { match: 'exact', revision }, after: page.lastKey, limit: pageSize });
      }
    },
    decode: (stored) => services().decode(stored) as Service,
  };
}
