/** What writing a service does beyond its own object. */
import type { Service } from '../../../api/gen/types/core-v1.ts';
import type { Logger } from '../../../base/logger.ts';
import { isStatusError } from '../../../machinery/status.ts';
import { deleteObject } from '../../generic/delete.ts';
import { internalRequest } from '../../generic/internal-request.ts';
import type { ResourceStore } from '../../generic/resource-store.ts';
import type { ResourceStores } from '../../resource-stores.ts';
import { type BegunWrite, nothingBegun, type WriteHooks } from '../../generic/write.ts';
import { isStorageError } from '../../../storage/storage-error.ts';
import { toStatusError } from '../../generic/store-error-answers.ts';
import { completeService } from './allocation/linked-fields.ts';
import type { ServiceAllocator } from './allocation/service-allocations.ts';

export interface ServiceHooksOptions {
  readonly allocator: ServiceAllocator;
  /** Where the endpoints of a service are, if they are served. */
  readonly stores: Pick<ResourceStores, 'storeOf'>;
  readonly log: Logger;
}

export function createServiceHooks({ allocator, stores, log }: ServiceHooksOptions): WriteHooks {
  const hooks: WriteHooks<Service> = {
    beginCreate: (service, { dryRun }) => begun(allocator.beginCreate(service, dryRun)),
    beginUpdate: (service, old, { dryRun, subresource }) =>
      subresource === '' ? begun(allocator.beginUpdate(service, old, dryRun)) : Promise.resolve(nothingBegun),
    async afterDelete(service, { revision }) {
      await deleteEndpoints(service, stores.storeOf('', 'endpoints'), log);
      await allocator.release(service, revision);
    },
    complete: (service) => completeService(service, allocator.families[0]!),
  };
  return hooks as WriteHooks;
}

/** A range that cannot be read or written fails the write. */
async function begun(write: Promise<BegunWrite>): Promise<BegunWrite> {
  const { finish, guards } = await write.catch(rethrow);
  return guards === undefined ? { finish } : { finish, guards: (again) => guards(again).catch(rethrow) };
}

function rethrow(error: unknown): never {
  throw isStorageError(error) ? toStatusError(error, 'update', { group: '', resource: 'rangeallocations' }, '') : error;
}

/** A service that is made again under the name must not find the old endpoints. */
async function deleteEndpoints(
  { metadata: { namespace = '', name = '' } }: Service,
  endpoints: ResourceStore | undefined,
  log: Logger,
): Promise<void> {
  if (endpoints === undefined) return;
  try {
    await deleteObject(
      endpoints,
      {},
      () => Promise.resolve(),
      internalRequest(endpoints, { namespace, name, enabled: () => false }),
    );
  } catch (error) {
    if (!isStatusError(error) || error.reason !== 'NotFound')
      log.warn(
        { err: error, service: `${namespace}/${name}` },
        'the endpoints of a deleted service could not be deleted',
      );
  }
}
