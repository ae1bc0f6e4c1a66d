import { expect, test, vi } from 'vitest';
import { GatheredBytes } from './gathered-bytes.ts';

test.each([
  { name: 'nothing', sizes: [] },
  { name: 'one piece', sizes: [2500] },
  { name: 'empty pieces', sizes: [0, 3, 0] },
  { name: 'byte by byte', sizes: Array.from({ length: 5000 }, () => 1) },
  { name: 'large ones between small ones', sizes: [1, 200_000, 1, 70_000, 5] },
])('A quota gives back what was added: $name', ({ sizes }) => {
  const pieces = sizes.map((size, i) => Buffer.alloc(size, i + 1));
  const gathered = new GatheredBytes();
  for (const piece of pieces) {
    gathered.add(piece);
    // Pieces are lent.
    piece.fill(0);
  }
  expect(gathered.length).toBe(sizes.reduce((sum, size) => sum + size, 0));
  expect(gathered.take().equals(Buffer.concat(sizes.map((size, i) => Buffer.alloc(size, i + 1))))).toBe(true);
  expect(gathered.length).toBe(0);
  gathered.add(Buffer.from('again'));
  expect(gathered.take().toString()).toBe('again');
});

test('Makes no buffer for each of many small pieces', () => {
  const gathered = new GatheredBytes();
  const allocUnsafe = vi.spyOn(Buffer, 'allocUnsafe');
  const byte = Buffer.from('x');
  for (let i = 0; i < 1_000_000; i++) gathered.add(byte);
  expect(allocUnsafe.mock.calls.length).toBeLessThan(30);
  allocUnsafe.mockRestore();
  expect(gathered.take().length).toBe(1_000_000);
});
