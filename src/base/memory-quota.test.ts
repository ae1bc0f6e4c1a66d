import { expect, test } from 'vitest';
import { MemoryQuota, unlimited } from './memory-quota.ts';

test('A quota is not exceeded, and what is released can be reserved again', () => {
  const quota = new MemoryQuota({ totalBytes: 1000, smallBytes: 0 });
  const [one, other] = [quota.open(), quota.open()];
  expect([one.add(500), other.add(250), other.add(1), quota.reserved]).toEqual([true, true, false, 750]);
  one.remove(100);
  expect([other.add(100), other.add(1)]).toEqual([true, false]);
  one.close();
  expect([quota.reserved, other.add(400), quota.reserved]).toEqual([350, true, 750]);
});

test('A closed reservation counts nothing, however often it is closed', () => {
  const quota = new MemoryQuota({ totalBytes: 1000, smallBytes: 0 });
  const one = quota.open();
  one.add(500);
  one.close();
  one.close();
  expect([one.add(5000), quota.reserved]).toEqual([true, 0]);
  one.remove(10);
  expect(quota.reserved).toBe(0);
});

test('A quarter of the quota is for small reservations', () => {
  const quota = new MemoryQuota({ totalBytes: 1000, smallBytes: 50 });
  const large = quota.open();
  expect([large.add(750), large.add(1)]).toEqual([true, false]);
  const small = Array.from({ length: 6 }, () => quota.open());
  expect(small.map((reservation) => reservation.add(50))).toEqual([true, true, true, true, true, false]);
  expect(small[0]!.add(1)).toBe(false);
});

test('Without a limit every reservation is granted', () => {
  expect(unlimited.add(Number.MAX_SAFE_INTEGER)).toBe(true);
});
