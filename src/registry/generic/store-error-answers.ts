/**
 * Storage errors as the API's errors: one table per verb, as clients know them.
 */
import {
  alreadyExists,
  type GroupResource,
  notFound,
  serverTimeout,
  StatusError,
  serviceUnavailable,
  internalError,
  tooLargeResourceVersion,
} from '../../machinery/status.ts';
import { expiredList, expiredWatch, slowWatch } from '../../machinery/resource-expired.ts';
import { isStorageError, type StorageError } from '../../storage/storage-error.ts';

export type StoreVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete';

/** Returns what to throw instead of `error`. Errors that are no storage errors pass unchanged. */
export function toStatusError(error: unknown, verb: StoreVerb, resource: GroupResource, name: string): unknown {
  if (!isStorageError(error)) return error;
  switch (error.reason) {
    case 'KeyExists':
      return alreadyExists(resource, name);
    case 'KeyNotFound':
      return notFound(resource, name);
    case 'Conflict':
      return new StatusError(409, 'Conflict', error.message, undefined, { cause: error });
    case 'Compacted':
      return verb === 'watch' ? expiredWatch() : expiredList();
    case 'FutureRevision':
      return bare('etcdserver: mvcc: required revision is a future revision', error);
    case 'TooLarge':
      return bare('etcdserver: request is too large', error);
    case 'NoSpace':
      return bare('etcdserver: mvcc: database space exceeded', error);
    // A wait for a version that did not come knows how far it is.
    case 'Timeout':
      return error.revision === undefined ? serverTimeout(resource, verb, 2) : tooLargeResourceVersion(error.message);
    case 'Unavailable':
      return serviceUnavailable(`the store is not available: ${error.message}`);
    case 'LeaseNotFound':
      return bare('etcdserver: requested lease not found', error);
    case 'Aborted':
      return serverTimeout(resource, verb, 1);
    case 'SlowConsumer':
      return slowWatch();
    case 'Internal':
      return internalError(error.message, { cause: error });
  }
}

/** What upstream passes on from etcd without a reason of its own. */
const bare = (message: string, cause: StorageError): StatusError =>
  new StatusError(500, '', message, undefined, { cause });
