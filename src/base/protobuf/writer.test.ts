import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { ProtoReader } from './reader.ts';
import { ProtoWriter } from './writer.ts';

const written = (write: (out: ProtoWriter) => void, capacity = 256): Buffer => {
  const out = new ProtoWriter(capacity);
  write(out);
  return out.finish();
};

describe('ProtoWriter', () => {
  test.each<{ name: string; write: (out: ProtoWriter) => void; bytes: number[] }>([
    { name: 'a short text', write: (out) => out.string(1, 'ab'), bytes: [0x0a, 2, 0x61, 0x62] },
    { name: 'an empty text', write: (out) => out.string(1, ''), bytes: [0x0a, 0] },
    { name: 'text outside ASCII', write: (out) => out.string(1, 'ä€'), bytes: [0x0a, 5, 0xc3, 0xa4, 0xe2, 0x82, 0xac] },
    { name: 'a field number of two bytes', write: (out) => out.uint(16, 1), bytes: [0x80, 0x01, 1] },
    { name: 'a number of several bytes', write: (out) => out.uint(1, 300), bytes: [0x08, 0xac, 0x02] },
    {
      name: 'the largest safe number',
      write: (out) => out.uint(1, Number.MAX_SAFE_INTEGER),
      bytes: [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
    },
    {
      name: 'a negative 64-bit number',
      write: (out) => out.bigint(1, -1n),
      bytes: [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
    },
    { name: 'a double', write: (out) => out.double(1, 1.5), bytes: [0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f] },
    { name: 'true', write: (out) => out.bool(1, true), bytes: [0x08, 1] },
    { name: 'no false', write: (out) => out.bool(1, false), bytes: [] },
    {
      name: 'a message',
      write: (out) => {
        out.uint(1, 0);
        out.message(2, 0);
      },
      bytes: [0x12, 2, 0x08, 0],
    },
  ])('ProtoWriter writes $name', ({ write, bytes }) => {
    expect([...written(write)]).toEqual(bytes);
    expect([...written(write, 0)]).toEqual(bytes);
  });

  test.each([127, 128, 16_383, 16_384, 200_000])('ProtoWriter writes messages around a text of %i bytes', (length) => {
    const text = 'x'.repeat(length);
    const bytes = written((out) => {
      out.string(4, 'after');
      const end = out.length;
      out.string(3, text);
      out.message(2, end);
      out.message(1, 0);
    });
    const outer = protobuf.Reader.create(bytes);
    expect(outer.uint32()).toBe((1 << 3) | 2);
    const inner = protobuf.Reader.create(outer.bytes());
    expect(outer.pos).toBe(bytes.length);
    expect(inner.uint32()).toBe((2 << 3) | 2);
    const innermost = protobuf.Reader.create(inner.bytes());
    expect(innermost.uint32()).toBe((3 << 3) | 2);
    expect(innermost.string()).toBe(text);
    expect(inner.uint32()).toBe((4 << 3) | 2);
    expect(inner.string()).toBe('after');
  });

  test('ProtoWriter is read back by ProtoReader', () => {
    const bytes = written((out) => {
      out.bigint(3, -5n);
      out.bytes(2, Buffer.from([1, 2, 3]));
      out.uint(1, 2 ** 40);
    }, 1);
    const reader = new ProtoReader(bytes, 0, bytes.length);
    const fields: unknown[] = [];
    while (reader.next(reader.end))
      fields.push(reader.field === 1 ? reader.uint() : reader.field === 2 ? [...reader.bytes()] : reader.int64());
    expect(fields).toEqual([2 ** 40, [1, 2, 3], -5n]);
  });
});
