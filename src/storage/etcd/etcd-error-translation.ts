import { EtcdError } from '../../etcd/etcd-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { StorageError } from '../storage-error.ts';
import type { StorageErrorDetails, StorageReason } from '../storage-error.ts';

/** What etcd says in so many words. Codes alone are shared by different refusals. */
const reasonByMessage: ReadonlyMap<string, StorageReason> = new Map([
  ['etcdserver: mvcc: required revision has been compacted', 'Compacted'],
  ['etcdserver: mvcc: required revision is a future revision', 'FutureRevision'],
  ['etcdserver: mvcc: database space exceeded', 'NoSpace'],
  ['etcdserver: request is too large', 'TooLarge'],
  ['etcdserver: requested lease not found', 'LeaseNotFound'],
  ['etcdserver: too many requests', 'Unavailable'],
  ['etcdserver: request timed out', 'Timeout'],
  ['etcdserver: request timed out, possibly due to previous leader failure', 'Timeout'],
  ['etcdserver: request timed out, possibly due to connection lost', 'Timeout'],
  ['etcdserver: request timed out, waiting for the applied index took too long', 'Timeout'],
]);

/** The one place where etcd's refusals become the store's. */
export function toStorageError(error: unknown, details: Omit<StorageErrorDetails, 'cause'> = {}): StorageError {
  if (error instanceof StorageError) return error;
  if (!(error instanceof EtcdError))
    return new StorageError('Internal', `etcd: ${String(error)}`, { ...details, cause: error });
  return new StorageError(reasonOf(error), error.message, { ...details, cause: error });
}

function reasonOf(error: EtcdError): StorageReason {
  const known = reasonByMessage.get(error.message);
  if (known !== undefined) return known;
  switch (error.code) {
    case GrpcCode.unavailable:
      return 'Unavailable';
    case GrpcCode.deadlineExceeded:
      return 'Timeout';
    case GrpcCode.cancelled:
      // etcd says so when it gives up itself.
      return error.message.startsWith('etcdserver: ') ? 'Unavailable' : 'Aborted';
    case GrpcCode.resourceExhausted:
      return isTooLarge(error.message) ? 'TooLarge' : 'Unavailable';
    default:
      return 'Internal';
  }
}

/** etcd's gRPC server refuses what is far too large before etcd itself sees it. */
const isTooLarge = (message: string): boolean => message.includes('larger than max');
