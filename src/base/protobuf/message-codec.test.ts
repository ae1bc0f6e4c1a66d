import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { MessageCodec } from './message-codec.ts';
import { ProtoReader } from './reader.ts';

const { root } = protobuf.parse(`syntax = "proto3";
  message Inner { string name = 1; int32 exit = 2; }
  enum Mode { FIRST = 0; SECOND = 1; }
  message Outer {
    string text = 1; bytes data = 2; bool flag = 3; int64 big = 4; uint64 count = 5; uint32 small = 6;
    Mode mode = 7; Inner inner = 8; repeated Inner list = 9; repeated int64 groups = 10; repeated string words = 11;
    map<string, string> labels = 12; repeated Mode modes = 13; map<string, Inner> named = 14;
  }`);
const outer = root.lookupType('Outer');
const codec = new MessageCodec({
  enums: { Mode: { FIRST: 0, SECOND: 1 } },
  messages: {
    Inner: [
      [1, 'name', 'string'],
      [2, 'exit', 'int32'],
    ],
    Outer: [
      [1, 'text', 'string'],
      [2, 'data', 'bytes'],
      [3, 'flag', 'bool'],
      [4, 'big', 'int64'],
      [5, 'count', 'uint64'],
      [6, 'small', 'uint32'],
      [7, 'mode', 'Mode'],
      [8, 'inner', 'Inner'],
      [9, 'list', 'Inner', 'repeated'],
      [10, 'groups', 'int64', 'repeated'],
      [11, 'words', 'string', 'repeated'],
      [12, 'labels', 'string', 'map'],
      [13, 'modes', 'Mode', 'repeated'],
      [14, 'named', 'Inner', 'map'],
    ],
  },
});
const decode = (bytes: Uint8Array): object => {
  const buffer = Buffer.from(bytes);
  return codec.decode('Outer', new ProtoReader(buffer, 0, buffer.length));
};

describe('messages by tables', () => {
  test.each([
    { name: 'An empty message', value: {} },
    { name: 'A text', value: { text: 'häuschen' } },
    { name: 'Bytes', value: { data: Buffer.from([0, 255, 7]) } },
    { name: 'Numbers', value: { flag: true, big: -5n, count: 2n ** 63n, small: 4_000_000_000 } },
    { name: 'A map of messages', value: { named: { a: { name: 'x', exit: 3 }, b: {} } } },
    { name: 'An enumeration', value: { mode: 'SECOND', modes: ['SECOND', 'FIRST'] } },
    { name: 'Nested messages', value: { inner: { name: 'a', exit: -1 }, list: [{ name: 'b' }, {}, { exit: 137 }] } },
    { name: 'Lists', value: { groups: [1n, 0n, 3000n], words: ['x', '', 'z'] } },
    { name: 'A map', value: { labels: { app: 'web', empty: '' } } },
  ])('$name reads the same after protobufjs has read and written it', ({ value }) => {
    const written = codec.encode('Outer', value);
    const copied = outer.encode(outer.decode(written)).finish();
    expect(decode(copied)).toEqual(value);
    expect(decode(written)).toEqual(value);
  });

  test('Zero values are not written, and what the table does not have is passed over', () => {
    expect(codec.encode('Outer', { text: '', flag: false, big: 0n, small: 0, unknown: 3 })).toHaveLength(0);
    const inner = codec.encode('Inner', { name: 'a' });
    expect(decode(Buffer.concat([Buffer.from([0xa0, 0x06, 0x01]), Buffer.from([0x42, inner.length]), inner]))).toEqual({
      inner: { name: 'a' },
    });
  });

  test('Keys of a map that are names of members of objects are ordinary keys', () => {
    const labels = Object.fromEntries([['__proto__', 'x']]);
    const read = decode(codec.encode('Outer', { labels })) as { labels: Record<string, string> };
    expect(Object.entries(read.labels)).toEqual([['__proto__', 'x']]);
  });

  test.each([
    { name: 'A message that ends early', bytes: [0x0a, 5, 65] },
    {
      name: 'A nested message that is longer than its parent',
      bytes: [0x42, 3, 0x0a, 9, 65, 66, 67, 68, 69, 70, 71, 72, 73],
    },
    { name: 'A number without an end', bytes: Array.from({ length: 12 }, () => 0xff) },
  ])('$name is refused', ({ bytes }) => {
    expect(() => decode(Buffer.from(bytes))).toThrow(expect.objectContaining({ name: 'ProtobufError' }));
  });

  test('A field of another wire type than the table says is passed over', () => {
    expect(decode(Buffer.from([0x08, 7, 0x1a, 1, 65, 0x18, 1]))).toEqual({ flag: true });
  });
});
