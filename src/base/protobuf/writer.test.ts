import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { ProtoWriter } from './proto-writer.ts';

const written = (write: (out: ProtoWriter) => void): Uint8Array => {
  const out = new ProtoWriter();
  write(out);
  return out.finish();
};

describe('ProtoWriter', () => {
  test.each([
    { name: 'a short text', write: (out: ProtoWriter) => out.text(1, 'ab'), bytes: [0x0a, 2, 0x61, 0x62] },
    { name: 'an empty text', write: (out: ProtoWriter) => out.text(1, ''), bytes: [0x0a, 0] },
    {
      name: 'text outside ASCII',
      write: (out: ProtoWriter) => out.text(1, 'ä€'),
      bytes: [0x0a, 5, 0xc3, 0xa4, 0xe2, 0x82, 0xac],
    },
    { name: 'a field number of two bytes', write: (out: ProtoWriter) => out.flag(16, true), bytes: [0x80, 0x01, 1] },
    {
      name: 'an integer of several bytes',
      write: (out: ProtoWriter) => out.integer(1, 300),
      bytes: [0x08, 0xac, 0x02],
    },
    { name: 'a double', write: (out: ProtoWriter) => out.double(1, 1.5), bytes: [0x09, 0, 0, 0, 0, 0, 0, 0xf8, 0x3f] },
    {
      name: 'a message',
      write: (out: ProtoWriter) => out.message(2, () => out.flag(1, false)),
      bytes: [0x12, 2, 0x08, 0],
    },
  ])('writes $name', ({ write, bytes }) => {
    expect([...written(write)]).toEqual(bytes);
  });

  test.each([127, 128, 16_383, 16_384, 200_000])('writes messages around a text of %i bytes', (length) => {
    const text = 'x'.repeat(length);
    const bytes = written((out) =>
      out.message(1, () => {
        out.message(2, () => out.text(3, text));
        out.text(4, 'after');
      }),
    );
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
});
