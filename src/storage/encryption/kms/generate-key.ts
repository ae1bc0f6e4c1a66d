import { randomBytes } from 'node:crypto';
import type { EncryptionObserver } from '../observer.ts';

/** Makes a key, and tells how long that took. Throws where the system has no random bytes. */
export function generateKey(
  bytes: number,
  observer: Pick<EncryptionObserver, 'keyGenerated' | 'keyFailed'>,
  random: (bytes: number) => Buffer = randomBytes,
): Buffer {
  const started = performance.now();
  try {
    const key = random(bytes);
    observer.keyGenerated((performance.now() - started) / 1000);
    return key;
  } catch (error) {
    observer.keyFailed();
    throw error;
  }
}
