import { describe, expect, test } from 'vitest';
import { MessageReader } from './message-reader.ts';

function message(text: string, flag = 0): Buffer {
  const prefix = Buffer.alloc(5);
  prefix[0] = flag;
  prefix.writeUInt32BE(text.length, 1);
  return Buffer.concat([prefix, Buffer.from(text)]);
}

function read(bytes: Buffer, size: number, maxBytes = 1_000): string[] {
  const messages: string[] = [];
  const reader = new MessageReader(
    (buffer, start, end) => messages.push(buffer.toString('utf8', start, end)),
    maxBytes,
  );
  for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
  return messages;
}

describe('length-prefixed messages', () => {
  const texts = ['one', '', 'x'.repeat(300), 'four'];

  test.each([1, 2, 3, 4, 5, 6, 7, 8, 64, 10_000])(
    'Length-prefixed messages are put together from pieces of %i bytes',
    (size) => {
      expect(read(Buffer.concat(texts.map((text) => message(text))), size)).toEqual(texts);
    },
  );

  test('Length-prefixed messages that are compressed are refused', () => {
    expect(() => read(message('x', 1), 100)).toThrow(
      expect.objectContaining({
        name: 'GrpcError',
        code: 13,
        message: 'a compressed message, which was not asked for',
      }),
    );
  });

  test('Length-prefixed messages beyond the limit are refused before memory is spent on them', () => {
    expect(read(message('x'.repeat(10)), 100, 10)).toHaveLength(1);
    const prefix = Buffer.from([0, 0xff, 0xff, 0xff, 0xff]);
    expect(() => read(prefix, 100, 10)).toThrow(
      expect.objectContaining({ code: 8, message: 'an answer of 4294967295 bytes, more than the limit of 10' }),
    );
  });
});
