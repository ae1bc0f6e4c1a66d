/** Requests as gRPC messages. Fields are written last to first, see `ProtoWriter`. */
import { ProtoWriter } from '../base/protobuf/writer.ts';
import type { Compare, PutRequest, RangeRequest, RequestOp, TxnRequest, WatchCreateRequest } from './messages.ts';

/** More than the numbers, flags and prefixes of one operation take. */
const overheadBytes = 80;
const maxUtf8BytesPerUnit = 3;

const keyCapacity = (key: string): number => key.length * maxUtf8BytesPerUnit;
const rangeCapacity = (request: RangeRequest): number =>
  keyCapacity(request.key) + (request.rangeEnd?.length ?? 0) + overheadBytes;

export function encodeRange(request: RangeRequest): Buffer {
  const writer = new ProtoWriter(rangeCapacity(request));
  writeRange(writer, request);
  return writer.finishGrpc();
}

function writeRange(writer: ProtoWriter, request: RangeRequest): void {
  if (request.countOnly === true) writer.bool(9, true);
  if (request.keysOnly === true) writer.bool(8, true);
  if (request.revision !== undefined && request.revision > 0) writer.uint(4, request.revision);
  if (request.limit !== undefined && request.limit > 0) writer.uint(3, request.limit);
  if (request.rangeEnd !== undefined) writer.bytes(2, request.rangeEnd);
  writer.string(1, request.key);
}

export function encodeTxn(request: TxnRequest): Buffer {
  const writer = new ProtoWriter(txnCapacity(request));
  for (const op of request.failure.toReversed()) writeOp(writer, 3, op);
  for (const op of request.success.toReversed()) writeOp(writer, 2, op);
  for (const compare of request.compare.toReversed()) writeModCompare(writer, compare);
  return writer.finishGrpc();
}

function txnCapacity({ compare, success, failure }: TxnRequest): number {
  let capacity = overheadBytes;
  for (const one of compare)
    capacity += keyCapacity(one.key) + ('rangeEnd' in one ? one.rangeEnd.length : 0) + overheadBytes;
  for (const op of success) capacity += opCapacity(op);
  for (const op of failure) capacity += opCapacity(op);
  return capacity;
}

function opCapacity(op: RequestOp): number {
  if ('range' in op) return rangeCapacity(op.range);
  if ('put' in op) return keyCapacity(op.put.key) + op.put.value.length + overheadBytes;
  return keyCapacity(op.deleteRange.key) + overheadBytes;
}

/** `Compare.result`; EQUAL is the zero value, which is not written. */
const lessResult = 2;
/** `Compare.target` */
const modTarget = 2;

/** `Compare { target: MOD, result: EQUAL }` of one key, or `{ target: MOD, result: LESS }` of a range. */
function writeModCompare(writer: ProtoWriter, compare: Compare): void {
  const end = writer.length;
  const isRange = 'rangeEnd' in compare;
  if (isRange) writer.bytes(64, compare.rangeEnd);
  // A member of a oneof is written even when it is zero.
  writer.uint(6, isRange ? compare.modRevisionBelow : compare.modRevision);
  writer.string(3, compare.key);
  writer.uint(2, modTarget);
  if (isRange) writer.uint(1, lessResult);
  writer.message(1, end);
}

function writeOp(writer: ProtoWriter, field: number, op: RequestOp): void {
  const end = writer.length;
  if ('range' in op) {
    writeRange(writer, op.range);
    writer.message(1, end);
  } else if ('put' in op) {
    writePut(writer, op.put);
    writer.message(2, end);
  } else {
    writer.string(1, op.deleteRange.key);
    writer.message(3, end);
  }
  writer.message(field, end);
}

function writePut(writer: ProtoWriter, { key, value, lease }: PutRequest): void {
  if (lease !== undefined) writer.bigint(3, lease);
  if (value.length > 0) writer.bytes(2, value);
  writer.string(1, key);
}

export function encodeCompaction(revision: number): Buffer {
  const writer = new ProtoWriter(overheadBytes);
  writer.uint(1, revision);
  return writer.finishGrpc();
}

export function encodeLeaseGrant(ttlSeconds: number): Buffer {
  const writer = new ProtoWriter(overheadBytes);
  writer.uint(1, ttlSeconds);
  return writer.finishGrpc();
}

export function encodeEmpty(): Buffer {
  return new ProtoWriter(overheadBytes).finishGrpc();
}

export function encodeWatchCreate(request: WatchCreateRequest): Buffer {
  const writer = new ProtoWriter(keyCapacity(request.key) + (request.rangeEnd?.length ?? 0) + overheadBytes);
  // One revision can be larger than a message may be: etcd then splits it instead of failing.
  writer.bool(8, true);
  writer.bool(6, request.prevKv);
  writer.bool(4, request.progressNotify);
  if (request.startRevision > 0) writer.uint(3, request.startRevision);
  if (request.rangeEnd !== undefined) writer.bytes(2, request.rangeEnd);
  writer.string(1, request.key);
  writer.message(1, 0);
  return writer.finishGrpc();
}

export function encodeWatchProgress(): Buffer {
  const writer = new ProtoWriter(overheadBytes);
  writer.message(3, 0);
  return writer.finishGrpc();
}
