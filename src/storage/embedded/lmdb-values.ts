import type { StoredLease } from './journal.ts';
import { readInteger, writeInteger } from './log-record.ts';
import type { Lease } from './version.ts';

export function encodeLease({ ttlMs, expiresAtMs }: Lease): Buffer {
  const value = Buffer.alloc(16);
  writeInteger(value, ttlMs, 0);
  writeInteger(value, expiresAtMs, 8);
  return value;
}

export function decodeLease(id: number, value: Buffer): StoredLease {
  return { id, ttlMs: readInteger(value, 0), expiresAtMs: readInteger(value, 8) };
}

export function encodeInteger(value: number): Buffer {
  const target = Buffer.alloc(8);
  writeInteger(target, value, 0);
  return target;
}
