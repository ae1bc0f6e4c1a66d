/** The answers to clients for what the store refused. */
import { describe, expect, test } from 'vitest';
import { type StatusError } from '../../machinery/status.ts';
import { StorageError, type StorageErrorDetails, type StorageReason } from '../../storage/storage-error.ts';
import { type StoreVerb, toStatusError } from './store-error-answers.ts';

const pods = { group: '', resource: 'pods' };

interface Row {
  readonly of: StorageReason;
  readonly verb?: StoreVerb;
  readonly details?: StorageErrorDetails;
  readonly code: number;
  readonly reason: string;
  readonly message: string;
}

describe('a refusal of the store is answered', () => {
  test.each<Row>([
    { of: 'KeyExists', verb: 'create', code: 409, reason: 'AlreadyExists', message: 'pods "a" already exists' },
    { of: 'KeyNotFound', code: 404, reason: 'NotFound', message: 'pods "a" not found' },
    { of: 'Conflict', verb: 'update', code: 409, reason: 'Conflict', message: 'why' },
    {
      of: 'Compacted',
      verb: 'watch',
      code: 410,
      reason: 'Expired',
      message: 'The resourceVersion for the provided watch is too old.',
    },
    {
      of: 'FutureRevision',
      code: 500,
      reason: '',
      message: 'etcdserver: mvcc: required revision is a future revision',
    },
    { of: 'TooLarge', verb: 'create', code: 500, reason: '', message: 'etcdserver: request is too large' },
    { of: 'NoSpace', verb: 'create', code: 500, reason: '', message: 'etcdserver: mvcc: database space exceeded' },
    { of: 'LeaseNotFound', verb: 'create', code: 500, reason: '', message: 'etcdserver: requested lease not found' },
    {
      of: 'Timeout',
      verb: 'list',
      code: 500,
      reason: 'ServerTimeout',
      message: 'The list operation against pods could not be completed at this time, please try again.',
    },
    {
      of: 'Aborted',
      verb: 'watch',
      code: 500,
      reason: 'ServerTimeout',
      message: 'The watch operation against pods could not be completed at this time, please try again.',
    },
    { of: 'Timeout', details: { revision: 7 }, code: 504, reason: 'Timeout', message: 'Timeout: why' },
    { of: 'Unavailable', code: 503, reason: 'ServiceUnavailable', message: 'the store is not available: why' },
    { of: 'Internal', code: 500, reason: 'InternalError', message: 'Internal error occurred: why' },
  ])(
    'A refusal of the store is answered: $of of $verb with $code $reason',
    ({ of, verb = 'get', details = {}, code, reason, message }) => {
      const answer = toStatusError(new StorageError(of, 'why', details), verb, pods, 'a') as StatusError;
      expect([answer.code, answer.reason, answer.message]).toEqual([code, reason, message]);
    },
  );

  test('A refusal of the store is answered apart for lists and watches where history is gone', () => {
    const answers = (['list', 'watch'] as const).map(
      (verb) => toStatusError(new StorageError('Compacted', 'why'), verb, pods, '') as StatusError,
    );
    expect(answers.map(({ code, reason }) => [code, reason])).toEqual([
      [410, 'Expired'],
      [410, 'Expired'],
    ]);
    expect(answers[0]!.message).not.toBe(answers[1]!.message);
  });
});

test('What is no refusal of the store stays what it is', () => {
  const error = new TypeError('broken');
  expect(toStatusError(error, 'get', pods, 'a')).toBe(error);
});
