import { describe, expect, test } from 'vitest';
import { decodeRecord, encodeDelete, encodeLeaseEnd, encodePut, readInteger, writeInteger } from './log-record.ts';
import type { KeyHistory, Lease, Version } from './version.ts';

const lease: Lease = { id: 2 ** 47 + 3, ttlMs: 1, expiresAtMs: 2, deadlineMs: 3, keys: new Set() };

function version({ bytes = '/a', ...rest }: Partial<Version> & { bytes?: string }): Version {
  const history: KeyHistory = { bytes, key: bytes, newest: undefined };
  return { history, modRevision: 9, createRevision: 0, lease: undefined, older: undefined, value: undefined, ...rest };
}

describe('log record', () => {
  test.each([
    { name: 'without a lease', lease: undefined, leaseId: 0, createRevision: 7 },
    { name: 'with a lease', lease, leaseId: lease.id, createRevision: 2 ** 40 + 5 },
  ])('Log record of a put $name comes back', ({ lease, leaseId, createRevision }) => {
    const record = encodePut(version({ createRevision, lease, bytes: '/k/\u00c3\u00a9' }));
    expect(decodeRecord(2 ** 41, record)).toEqual({
      kind: 'put',
      revision: 2 ** 41,
      createRevision,
      leaseId,
      bytes: '/k/\u00c3\u00a9',
    });
  });

  test('A log record of a deletion comes back', () => {
    expect(decodeRecord(3, encodeDelete(version({ bytes: '/gone' })))).toEqual({
      kind: 'delete',
      revision: 3,
      keys: ['/gone'],
    });
  });

  test('A log record of a lease end comes back with every key', () => {
    const keys = ['/a', '/long'.repeat(100), '/b'];
    const record = encodeLeaseEnd(keys.map((bytes) => version({ bytes })));
    expect(decodeRecord(4, record)).toEqual({ kind: 'delete', revision: 4, keys });
  });

  test.each([
    { name: 'empty', bytes: [] },
    { name: 'of an unknown kind', bytes: [9, 1, 2] },
    { name: 'cut short', bytes: [1, 0, 0] },
  ])('Log record that is $name is refused', ({ bytes }) => {
    expect(() => decodeRecord(5, Buffer.from(bytes))).toThrow('the log record of revision 5 cannot be read');
  });
});

describe('integers in 8 bytes', () => {
  const values = [0, 1, 255, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32, 2 ** 40 + 12345, Number.MAX_SAFE_INTEGER];

  test.each(values)('Integers in 8 bytes keep %d', (value) => {
    const target = Buffer.alloc(10, 0xff);
    expect(writeInteger(target, value, 1)).toBe(9);
    expect(readInteger(target, 1)).toBe(value);
    expect(target.readBigUInt64BE(1)).toBe(BigInt(value));
  });

  test('Integers in 8 bytes are ordered as numbers when compared as bytes', () => {
    const encoded = values.map((value) => {
      const target = Buffer.alloc(8);
      writeInteger(target, value, 0);
      return target;
    });
    expect(encoded.toSorted((a, b) => Buffer.compare(a, b))).toEqual(encoded);
  });
});
