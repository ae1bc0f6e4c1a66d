/**
 * The bytes of a log record. Its key in the log is its revision; every revision has one record.
 *
 *   put        1, createRevision (8), lease id or 0 (8), key
 *   delete     2, key
 *   lease end  3, then for each deleted key its length (4) and the key
 *
 * Integers are big-endian, keys are UTF-8 to the end of the record.
 */
import type { LogRecord } from './journal.ts';
import type { Version } from './version.ts';

const PUT = 1;
const DELETE = 2;
const LEASE_END = 3;
const PUT_HEADER = 17;
const TWO_POW_32 = 0x1_0000_0000;

export function encodePut(version: Version): Buffer {
  const { bytes } = version.history;
  const record = Buffer.allocUnsafe(PUT_HEADER + bytes.length);
  record[0] = PUT;
  writeInteger(record, version.createRevision, 1);
  writeInteger(record, version.lease?.id ?? 0, 9);
  record.write(bytes, PUT_HEADER, 'latin1');
  return record;
}

export function encodeDelete(deletion: Version): Buffer {
  const { bytes } = deletion.history;
  const record = Buffer.allocUnsafe(1 + bytes.length);
  record[0] = DELETE;
  record.write(bytes, 1, 'latin1');
  return record;
}

export function encodeLeaseEnd(deletions: readonly Version[]): Buffer {
  const size = deletions.reduce((sum, { history }) => sum + 4 + history.bytes.length, 1);
  const record = Buffer.allocUnsafe(size);
  record[0] = LEASE_END;
  let at = 1;
  for (const { history } of deletions) {
    at = record.writeUInt32BE(history.bytes.length, at);
    at += record.write(history.bytes, at, 'latin1');
  }
  return record;
}

/** Throws when the bytes are not a record. */
export function decodeRecord(revision: number, record: Buffer): LogRecord {
  switch (record[0]) {
    case PUT:
      if (record.length <= PUT_HEADER) break;
      return {
        kind: 'put',
        revision,
        createRevision: readInteger(record, 1),
        leaseId: readInteger(record, 9),
        bytes: record.toString('latin1', PUT_HEADER),
      };
    case DELETE:
      return { kind: 'delete', revision, keys: [record.toString('latin1', 1)] };
    case LEASE_END:
      return { kind: 'delete', revision, keys: decodeKeys(record) };
  }
  throw new Error(`the log record of revision ${revision} cannot be read`);
}

function decodeKeys(record: Buffer): string[] {
  const keys: string[] = [];
  for (let at = 1; at < record.length; ) {
    const end = at + 4 + record.readUInt32BE(at);
    keys.push(record.toString('latin1', at + 4, end));
    at = end;
  }
  return keys;
}

/** A non-negative safe integer in 8 bytes, so that byte order is number order. */
export function writeInteger(target: Uint8Array, value: number, at: number): number {
  const high = Math.floor(value / TWO_POW_32);
  target[at] = high >>> 24;
  target[at + 1] = high >>> 16;
  target[at + 2] = high >>> 8;
  target[at + 3] = high;
  target[at + 4] = value >>> 24;
  target[at + 5] = value >>> 16;
  target[at + 6] = value >>> 8;
  target[at + 7] = value;
  return at + 8;
}

export function readInteger(source: Uint8Array, at: number): number {
  const high = source[at]! * 0x100_0000 + ((source[at + 1]! << 16) | (source[at + 2]! << 8) | source[at + 3]!);
  const low = source[at + 4]! * 0x100_0000 + ((source[at + 5]! << 16) | (source[at + 6]! << 8) | source[at + 7]!);
  return high * TWO_POW_32 + low;
}
