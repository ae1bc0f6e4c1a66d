/**
 * Storage errors as the API's errors: one table per verb, as clients know them.
 */
import { alreadyExists, expired, type GroupResource, notFound, serverTimeout, StatusError, serviceUnavailable, requestEntityTooLarge, internalError, tooLargeResourceVersion } from '../../machinery/status.ts';
import { isStorageError, type StorageError } from '../../storage/errors.ts';

export type StoreVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'delete';

export const compactedMessage = 'The resourceVersion for the provided watch is too old.';

/** Returns what to throw instead of `error`. Errors that are no storage errors pass unchanged. */
export function toStatusError(error: unknown, verb: StoreVerb, resource: GroupResource, name: string): unknown {
  if (!isStorageError(error)) return error;
  switch (error.reason) {
    case 'KeyExists': return alreadyExists(resource, name);
    case 'KeyNotFound': return notFound(resource, name);
    case 'Conflict': return new StatusError(409, 'Conflict', error.message, undefined, { cause: error });
    case 'Compacted': return expired(verb === 'watch' ? `too old resource version: ${error.message}` : 'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.');
    case 'FutureRevision': return tooLargeResourceVersion(error.revision ?? 0, 0);
    case 'TooLarge': return requestEntityTooLarge(`etcdserver: request is too large`);
    case 'NoSpace': return internalNoReason('etcdserver: mvcc: database space exceeded', error);
    case 'Timeout': return serverTimeout(resource, verb, 2);
    case 'Unavailable': return serviceUnavailable(`the store is not available: ${error.message}`);
    case 'LeaseNotFound': return internalNoReason('etcdserver: requested lease not found', error);
    case 'Aborted': return serverTimeout(resource, verb, 1);
    case 'SlowConsumer': return expired('the watch was ended because its reader was too slow');
    case 'Internal': return internalError(error.message, { cause: error });
  }
}

const internalNoReason = (message: string, cause: StorageError): StatusError => new StatusError(500, '', message, undefined, { cause });
