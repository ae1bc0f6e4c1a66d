import { timingSafeEqual } from 'node:crypto';

/** Compares in a time that says nothing about what is in them. That they differ in length may show. */
export function constantTimeEqual(one: string | Buffer, other: string | Buffer): boolean {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}

const bytesOf = (secret: string | Buffer): Buffer => (typeof secret === 'string' ? Buffer.from(secret) : secret);
