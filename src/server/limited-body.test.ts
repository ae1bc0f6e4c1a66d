import { describe, expect, test } from 'vitest';
import { MemoryQuota } from '../base/memory-quota.ts';
import { BodyTooLarge, TooManyBodies } from './exchange.ts';
import { LimitedBody } from './limited-body.ts';

function receive(pieces: readonly string[], { limit = 10, memory = 1000 } = {}) {
  const quota = new MemoryQuota({ totalBytes: memory, smallBytes: memory });
  const refusals: Error[] = [];
  const body = new LimitedBody(limit, quota.open(), (error) => refusals.push(error));
  for (const piece of pieces) body.add(Buffer.from(piece));
  return { refusals, reserved: quota.reserved, bytes: body.take().toString() };
}

describe('a body with a limit', () => {
  test.each([
    { name: 'is empty when nothing came', pieces: [], bytes: '', reserved: 0 },
    { name: 'is put together from its pieces', pieces: ['abc', '', 'de'], bytes: 'abcde', reserved: 5 },
    { name: 'may have as many bytes as the limit', pieces: ['12345', '67890'], bytes: '1234567890', reserved: 10 },
  ])('A body with a limit: $name', ({ pieces, bytes, reserved }) => {
    expect(receive(pieces)).toEqual({ refusals: [], bytes, reserved });
  });

  test.each([
    { name: 'more than the limit in one piece', pieces: ['12345678901'] },
    { name: 'more than the limit in several pieces', pieces: ['12345', '678901', 'more', 'and more'] },
  ])('A body with a limit is refused once, and its memory is released, for $name', ({ pieces }) => {
    const { refusals, bytes, reserved } = receive(pieces);
    expect(refusals).toEqual([new BodyTooLarge(10)]);
    expect({ bytes, reserved }).toEqual({ bytes: '', reserved: 0 });
  });

  test('A body with a limit is refused when there is no memory for it', () => {
    const { refusals, bytes, reserved } = receive(['1234', '5678', '9'], { memory: 6 });
    expect(refusals).toEqual([new TooManyBodies()]);
    expect({ bytes, reserved }).toEqual({ bytes: '', reserved: 0 });
  });
});
