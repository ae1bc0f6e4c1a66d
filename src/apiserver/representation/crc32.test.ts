import zlib from 'node:zlib';
import { expect, test } from 'vitest';
import { crcShift, joinCrc } from './crc32.ts';

const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, i) => (i * 7919) >>> 3));

test.each([
  [0, 0],
  [0, 5],
  [5, 0],
  [1, 1],
  [3, 70_000],
  [65_536, 4097],
])('The sum of %i and %i bytes in a row', (first, second) => {
  const a = bytes(first);
  const b = bytes(second);
  expect(joinCrc(zlib.crc32(a), zlib.crc32(b), crcShift(b.length))).toBe(zlib.crc32(Buffer.concat([a, b])));
});
