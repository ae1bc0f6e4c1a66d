/** Answers, read from the bytes that arrived; values are copied out of them. */
import { ProtobufError, type ProtoReader } from '../base/protobuf/reader.ts';
import type {
  HeaderResponse,
  KeyValue,
  LeaseGrantResponse,
  RangeResponse,
  StatusResponse,
  TxnResponse,
  WatchEvent,
  WatchResponse,
} from './messages.ts';

const noValue = Buffer.alloc(0);
const noEvents: readonly WatchEvent[] = [];

/** `ResponseHeader.revision` */
function decodeHeader(reader: ProtoReader, end: number): number {
  let revision = 0;
  while (reader.next(end)) {
    if (reader.field === 3) revision = reader.uint();
    else reader.skip();
  }
  return revision;
}

function decodeKeyValue(reader: ProtoReader, end: number): KeyValue {
  let key = '';
  let createRevision = 0;
  let modRevision = 0;
  let value: Buffer = noValue;
  while (reader.next(end)) {
    if (reader.field === 1) key = reader.string();
    else if (reader.field === 2) createRevision = reader.uint();
    else if (reader.field === 3) modRevision = reader.uint();
    else if (reader.field === 5) value = reader.bytes();
    else reader.skip();
  }
  return { key, value, modRevision, createRevision };
}

export function decodeHeaderResponse(reader: ProtoReader): HeaderResponse {
  let revision = 0;
  while (reader.next(reader.end)) {
    if (reader.field === 1) revision = decodeHeader(reader, reader.message());
    else reader.skip();
  }
  return { revision };
}

export const decodeRange = (reader: ProtoReader): RangeResponse => decodeRangeTo(reader, reader.end);

function decodeRangeTo(reader: ProtoReader, end: number): RangeResponse {
  const kvs: KeyValue[] = [];
  let revision = 0;
  let count = 0;
  while (reader.next(end)) {
    if (reader.field === 2) kvs.push(decodeKeyValue(reader, reader.message()));
    else if (reader.field === 1) revision = decodeHeader(reader, reader.message());
    else if (reader.field === 4) count = reader.uint();
    else reader.skip();
  }
  return { revision, kvs, count };
}

export function decodeTxn(reader: ProtoReader): TxnResponse {
  const responses: (RangeResponse | undefined)[] = [];
  let revision = 0;
  let succeeded = false;
  while (reader.next(reader.end)) {
    if (reader.field === 3) responses.push(decodeResponseOp(reader, reader.message()));
    else if (reader.field === 1) revision = decodeHeader(reader, reader.message());
    else if (reader.field === 2) succeeded = reader.bool();
    else reader.skip();
  }
  return { revision, succeeded, responses };
}

function decodeResponseOp(reader: ProtoReader, end: number): RangeResponse | undefined {
  let response: RangeResponse | undefined;
  while (reader.next(end)) {
    if (reader.field === 1) response = decodeRangeTo(reader, reader.message());
    else reader.skip();
  }
  return response;
}

export function decodeWatch(reader: ProtoReader): WatchResponse {
  let revision = 0;
  let created = false;
  let canceled = false;
  let compactRevision = 0;
  let cancelReason = '';
  let fragment = false;
  let events: WatchEvent[] | undefined;
  while (reader.next(reader.end)) {
    if (reader.field === 11) (events ??= []).push(decodeEvent(reader, reader.message()));
    else if (reader.field === 1) revision = decodeHeader(reader, reader.message());
    else if (reader.field === 3) created = reader.bool();
    else if (reader.field === 4) canceled = reader.bool();
    else if (reader.field === 5) compactRevision = reader.uint();
    else if (reader.field === 6) cancelReason = reader.string();
    else if (reader.field === 7) fragment = reader.bool();
    else reader.skip();
  }
  return { revision, created, canceled, compactRevision, cancelReason, fragment, events: events ?? noEvents };
}

function decodeEvent(reader: ProtoReader, end: number): WatchEvent {
  let type: WatchEvent['type'] = 'put';
  let kv: KeyValue | undefined;
  let prevKv: KeyValue | undefined;
  while (reader.next(end)) {
    if (reader.field === 1) type = reader.uint() === 1 ? 'delete' : 'put';
    else if (reader.field === 2) kv = decodeKeyValue(reader, reader.message());
    else if (reader.field === 3) prevKv = decodeKeyValue(reader, reader.message());
    else reader.skip();
  }
  if (kv === undefined) throw new ProtobufError('a watch event without a key');
  return { type, kv, prevKv };
}

export function decodeLeaseGrant(reader: ProtoReader): LeaseGrantResponse {
  let revision = 0;
  let id = 0n;
  let ttlSeconds = 0;
  while (reader.next(reader.end)) {
    if (reader.field === 1) revision = decodeHeader(reader, reader.message());
    else if (reader.field === 2) id = reader.int64();
    else if (reader.field === 3) ttlSeconds = reader.uint();
    else reader.skip();
  }
  return { revision, id, ttlSeconds };
}

export function decodeStatus(reader: ProtoReader): StatusResponse {
  let revision = 0;
  let version = '';
  let dbSizeBytes = 0;
  let leader = 0n;
  let isLearner = false;
  while (reader.next(reader.end)) {
    if (reader.field === 1) revision = decodeHeader(reader, reader.message());
    else if (reader.field === 2) version = reader.string();
    else if (reader.field === 3) dbSizeBytes = reader.uint();
    else if (reader.field === 4) leader = BigInt.asUintN(64, reader.int64());
    else if (reader.field === 10) isLearner = reader.bool();
    else reader.skip();
  }
  return { revision, version, dbSizeBytes, leader, isLearner };
}
