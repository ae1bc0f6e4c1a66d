import { describe, expect, test } from 'vitest';
import { EtcdError } from '../../etcd/etcd-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { StorageError } from '../storage-error.ts';
import { toStorageError } from './etcd-error-translation.ts';

describe("etcd's refusals in the store's words", () => {
  test.each([
    {
      code: GrpcCode.outOfRange,
      message: 'etcdserver: mvcc: required revision has been compacted',
      reason: 'Compacted',
    },
    {
      code: GrpcCode.outOfRange,
      message: 'etcdserver: mvcc: required revision is a future revision',
      reason: 'FutureRevision',
    },
    { code: GrpcCode.resourceExhausted, message: 'etcdserver: mvcc: database space exceeded', reason: 'NoSpace' },
    { code: GrpcCode.invalidArgument, message: 'etcdserver: request is too large', reason: 'TooLarge' },
    {
      code: GrpcCode.resourceExhausted,
      message: 'grpc: received message larger than max (6291500 vs. 2097152)',
      reason: 'TooLarge',
    },
    { code: GrpcCode.resourceExhausted, message: 'etcdserver: too many requests', reason: 'Unavailable' },
    { code: GrpcCode.notFound, message: 'etcdserver: requested lease not found', reason: 'LeaseNotFound' },
    { code: GrpcCode.unavailable, message: 'etcdserver: request timed out', reason: 'Timeout' },
    { code: GrpcCode.unavailable, message: 'etcdserver: no leader', reason: 'Unavailable' },
    { code: GrpcCode.unavailable, message: 'connection to etcd: read ECONNRESET', reason: 'Unavailable' },
    { code: GrpcCode.deadlineExceeded, message: 'etcd did not answer within 10000 ms', reason: 'Timeout' },
    { code: GrpcCode.cancelled, message: 'the caller gave up', reason: 'Aborted' },
    { code: GrpcCode.cancelled, message: 'etcdserver: request canceled', reason: 'Unavailable' },
    { code: GrpcCode.permissionDenied, message: 'etcdserver: permission denied', reason: 'Internal' },
    { code: GrpcCode.dataLoss, message: 'etcdserver: corrupt cluster', reason: 'Internal' },
  ])("Etcd's refusals in the store's words: $message: $reason", ({ code, message, reason }) => {
    const cause = new EtcdError(code, message);
    expect(toStorageError(cause, { key: '/k' })).toMatchObject({
      name: 'StorageError',
      reason,
      message,
      key: '/k',
      cause,
    });
  });

  test('What is none of them stays visible as an internal error', () => {
    expect(toStorageError(new TypeError('oops'))).toMatchObject({
      reason: 'Internal',
      message: 'etcd: TypeError: oops',
    });
    const own = new StorageError('KeyExists', 'there');
    expect(toStorageError(own)).toBe(own);
  });
});
