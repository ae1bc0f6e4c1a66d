import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { decodeHeaderResponse, decodeLeaseGrant, decodeRange, decodeStatus, decodeTxn, decodeWatch } from './decode.ts';
import {
  encodeCompaction,
  encodeEmpty,
  encodeLeaseGrant,
  encodeRange,
  encodeTxn,
  encodeWatchCreate,
  encodeWatchProgress,
} from './encode.ts';
import type { Decode } from '../grpc/call.ts';
import { prefixEnd } from './messages.ts';
import { ProtoReader } from '../base/protobuf/reader.ts';

const schema = protobuf.parse(readFileSync(new URL('./etcd.proto', import.meta.url), 'utf8'), { keepCase: true }).root;
const asObject = { longs: String, enums: String, bytes: Buffer, defaults: false };

/** What protobufjs reads in a gRPC message of ours. */
function readBack(type: string, grpcMessage: Buffer): unknown {
  expect(grpcMessage[0]).toBe(0);
  expect(grpcMessage.readUInt32BE(1)).toBe(grpcMessage.length - 5);
  const messageType = schema.lookupType(`etcdserverpb.${type}`);
  return JSON.parse(
    JSON.stringify(messageType.toObject(messageType.decode(grpcMessage.subarray(5)), asObject), textual),
  );
}

/** Bytes as text, so that expectations are readable. */
function textual(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const original = this[name];
  return Buffer.isBuffer(original) ? original.toString('latin1') : value;
}

function answer<T>(type: string, message: object, decode: Decode<T>): T {
  const messageType = schema.lookupType(`etcdserverpb.${type}`);
  const bytes = Buffer.from(messageType.encode(messageType.fromObject(message)).finish());
  // Inside a larger buffer, as messages arrive.
  const surrounded = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')]);
  return decode(new ProtoReader(surrounded, 6, 6 + bytes.length));
}

describe("requests, read by protobufjs with etcd's schema", () => {
  const key = '/registry/pods/ä';
  const keyBytes = Buffer.from(key).toString('latin1');

  test.each([
    { name: 'one key', request: { key }, read: { key: keyBytes } },
    {
      name: 'a page of keys at a revision',
      request: { key: '/a/', rangeEnd: prefixEnd('/a/'), limit: 500, revision: 2 ** 40 + 3, keysOnly: true },
      read: { key: '/a/', range_end: '/a0', limit: '500', revision: String(2 ** 40 + 3), keys_only: true },
    },
    {
      name: 'a count',
      request: { key: '\0', rangeEnd: prefixEnd(''), countOnly: true },
      read: { key: '\0', range_end: '\0', count_only: true },
    },
    {
      name: 'no limit and the current revision',
      request: { key: 'a', limit: 0, revision: 0, keysOnly: false },
      read: { key: 'a' },
    },
  ])('A Range request is encoded: $name', ({ request, read }) => {
    expect(readBack('RangeRequest', encodeRange(request))).toEqual(read);
  });

  test('A Txn request is a guarded write with a lease, and a read otherwise, as protobufjs reads it', () => {
    const value = Buffer.alloc(3_000, 0xfe);
    const lease = 2n ** 62n + 12_345n;
    const bytes = encodeTxn({
      compare: [{ key, modRevision: 0 }],
      success: [{ put: { key, value, lease } }],
      failure: [{ range: { key } }],
    });
    expect(readBack('TxnRequest', bytes)).toEqual({
      compare: [{ target: 'MOD', key: keyBytes, mod_revision: '0' }],
      success: [{ request_put: { key: keyBytes, value: value.toString('latin1'), lease: String(lease) } }],
      failure: [{ request_range: { key: keyBytes } }],
    });
  });

  test('Several operations of a Txn request keep their order, as protobufjs reads it', () => {
    const bytes = encodeTxn({
      compare: [
        { key: 'a', modRevision: 127 },
        { key: 'b', modRevision: 128 },
        { key: 'c', modRevision: 2 ** 52 },
      ],
      success: [{ deleteRange: { key: 'a' } }, { put: { key: 'b', value: Buffer.alloc(0) } }],
      failure: [{ range: { key: 'a' } }, { range: { key: 'b' } }, { range: { key: 'c' } }],
    });
    expect(readBack('TxnRequest', bytes)).toEqual({
      compare: [
        { target: 'MOD', key: 'a', mod_revision: '127' },
        { target: 'MOD', key: 'b', mod_revision: '128' },
        { target: 'MOD', key: 'c', mod_revision: String(2 ** 52) },
      ],
      success: [{ request_delete_range: { key: 'a' } }, { request_put: { key: 'b' } }],
      failure: [{ request_range: { key: 'a' } }, { request_range: { key: 'b' } }, { request_range: { key: 'c' } }],
    });
  });

  test('A Txn request can compare all keys of a range, as protobufjs reads it', () => {
    const bytes = encodeTxn({
      compare: [
        { key: 'a', modRevision: 7 },
        { key: '/b/', rangeEnd: prefixEnd('/b/'), modRevisionBelow: 300 },
      ],
      success: [],
      failure: [],
    });
    expect(readBack('TxnRequest', bytes)).toEqual({
      compare: [
        { target: 'MOD', key: 'a', mod_revision: '7' },
        { result: 'LESS', target: 'MOD', key: '/b/', mod_revision: '300', range_end: '/b0' },
      ],
    });
  });

  test('protobufjs reads the requests Watch, Compact, LeaseGrant and Status', () => {
    const create = { key: '/a/', rangeEnd: prefixEnd('/a/'), startRevision: 300, progressNotify: true, prevKv: true };
    expect(readBack('WatchRequest', encodeWatchCreate(create))).toEqual({
      create_request: {
        key: '/a/',
        range_end: '/a0',
        start_revision: '300',
        progress_notify: true,
        prev_kv: true,
        fragment: true,
      },
    });
    expect(
      readBack('WatchRequest', encodeWatchCreate({ key: 'a', startRevision: 0, progressNotify: false, prevKv: false })),
    ).toEqual({ create_request: { key: 'a', fragment: true } });
    expect(readBack('WatchRequest', encodeWatchProgress())).toEqual({ progress_request: {} });
    expect(readBack('CompactionRequest', encodeCompaction(70_000))).toEqual({ revision: '70000' });
    expect(readBack('LeaseGrantRequest', encodeLeaseGrant(3_660))).toEqual({ TTL: '3660' });
    expect(readBack('StatusRequest', encodeEmpty())).toEqual({});
  });
});

describe("answers, written by protobufjs with etcd's schema", () => {
  const header = {
    cluster_id: '14841639068965178418',
    member_id: '10276657743932975437',
    revision: String(2 ** 45 + 1),
    raft_term: '2',
  };
  const revision = 2 ** 45 + 1;
  const kv = {
    key: Buffer.from('/a/ü'),
    create_revision: '7',
    mod_revision: '300',
    version: '3',
    value: Buffer.from([0, 1, 254, 255]),
    lease: '7587862094930943001',
  };
  const read = { key: '/a/ü', createRevision: 7, modRevision: 300, value: Buffer.from([0, 1, 254, 255]) };

  test('Range responses are decoded as by protobufjs', () => {
    const kvs = [kv, { key: Buffer.from('empty'), create_revision: '1', mod_revision: '1' }];
    const decoded = answer('RangeResponse', { header, kvs, more: true, count: '1000' }, decodeRange);
    expect(decoded).toEqual({
      revision,
      kvs: [read, { key: 'empty', createRevision: 1, modRevision: 1, value: Buffer.alloc(0) }],
      count: 1_000,
    });
    expect(decoded.kvs[0]!.value.buffer.byteLength).toBe(4);
  });

  test('Txn responses are decoded as by protobufjs', () => {
    const responses = [
      { response_put: { header: { revision: '5' } } },
      { response_range: { kvs: [kv], count: '1' } },
      { response_delete_range: { deleted: '1' } },
    ];
    expect(answer('TxnResponse', { header, succeeded: true, responses }, decodeTxn)).toEqual({
      revision,
      succeeded: true,
      responses: [undefined, { revision: 0, kvs: [read], count: 1 }, undefined],
    });
    expect(answer('TxnResponse', { header }, decodeTxn)).toEqual({ revision, succeeded: false, responses: [] });
  });

  test('Watch responses are decoded as by protobufjs', () => {
    const events = [
      { kv, prev_kv: kv },
      { type: 'DELETE', kv: { key: Buffer.from('k'), mod_revision: '301' } },
    ];
    expect(answer('WatchResponse', { header, watch_id: '-1', fragment: true, events }, decodeWatch)).toEqual({
      revision,
      created: false,
      canceled: false,
      compactRevision: 0,
      cancelReason: '',
      fragment: true,
      events: [
        { type: 'put', kv: read, prevKv: read },
        {
          type: 'delete',
          kv: { key: 'k', createRevision: 0, modRevision: 301, value: Buffer.alloc(0) },
          prevKv: undefined,
        },
      ],
    });
    expect(
      answer(
        'WatchResponse',
        { header, created: true, canceled: true, compact_revision: '9', cancel_reason: 'why' },
        decodeWatch,
      ),
    ).toMatchObject({
      created: true,
      canceled: true,
      compactRevision: 9,
      cancelReason: 'why',
    });
  });

  test('A LeaseGrant response with an id that no number can hold is decoded', () => {
    expect(answer('LeaseGrantResponse', { header, ID: '7587862094930943001', TTL: '3660' }, decodeLeaseGrant)).toEqual({
      revision,
      id: 7587862094930943001n,
      ttlSeconds: 3_660,
    });
  });

  test('Status and Compact responses are decoded as by protobufjs', () => {
    const status = { header, version: '3.5.16', dbSize: '24576', leader: '10276657743932975437', isLearner: true };
    expect(answer('StatusResponse', status, decodeStatus)).toEqual({
      revision,
      version: '3.5.16',
      dbSizeBytes: 24_576,
      leader: 10276657743932975437n,
      isLearner: true,
    });
    expect(answer('CompactionResponse', { header }, decodeHeaderResponse)).toEqual({ revision });
  });

  test('Unknown fields of answers of etcd are skipped, whatever their wire type', () => {
    const known = Buffer.from([0x08, 0x01]);
    const unknown = Buffer.from([
      0xa0, 0x06, 0xff, 0x01, 0xa1, 0x06, 1, 2, 3, 4, 5, 6, 7, 8, 0xa2, 0x06, 3, 1, 2, 3, 0xa5, 0x06, 1, 2, 3, 4,
    ]);
    const message = Buffer.concat([unknown, known, unknown]);
    const reader = new ProtoReader(message, 0, message.length);
    let found = 0;
    while (reader.next(reader.end)) {
      if (reader.field === 1) found = reader.uint();
      else reader.skip();
    }
    expect(found).toBe(1);
  });

  test('A message cut off anywhere is refused or read in part, and never read beyond its end', () => {
    const messageType = schema.lookupType('etcdserverpb.WatchResponse');
    const whole = Buffer.from(
      messageType.encode(messageType.fromObject({ header, events: [{ kv, prev_kv: kv }] })).finish(),
    );
    const surrounded = Buffer.concat([whole, Buffer.alloc(64, 0xff)]);
    for (let length = 0; length < whole.length; length++) {
      const reader = new ProtoReader(surrounded, 0, length);
      let error: unknown;
      try {
        decodeWatch(reader);
      } catch (reason) {
        error = reason;
      }
      if (error === undefined) expect(reader.at).toBe(length);
      else expect(error).toMatchObject({ name: 'ProtobufError' });
    }
  });
});

describe('prefixEnd', () => {
  test.each([
    { prefix: '/a/', end: [0x2f, 0x61, 0x30] },
    { prefix: 'é', end: [0xc3, 0xaa] },
    { prefix: '\u007f', end: [0x80] },
    { prefix: '', end: [0] },
  ])('The end of the range of prefix $prefix', ({ prefix, end }) => {
    expect([...prefixEnd(prefix)]).toEqual(end);
  });
});
