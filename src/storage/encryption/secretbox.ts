/**
 * XSalsa20 and Poly1305: nonce (24 bytes), tag (16 bytes), ciphertext.
 * @see {@link https://nacl.cr.yp.to/secretbox.html | NaCl: secret-key authenticated encryption}
 */
import { randomBytes } from 'node:crypto';
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js';
import { fresh, type ValueTransformer } from './transformer.ts';

const nonceBytes = 24;
const tagBytes = 16;

export function secretbox(key: Buffer): ValueTransformer {
  if (key.length !== 32) throw new Error(`expected key size 32 for secretbox provider, got ${key.length}`);
  return {
    fromStorage(stored) {
      if (stored.length < nonceBytes + tagBytes) throw new Error('the stored data was shorter than the required size');
      return fresh(opened(key, stored));
    },
    toStorage(value) {
      const nonce = randomBytes(nonceBytes);
      return [nonce, xsalsa20poly1305(key, nonce).encrypt(value)];
    },
  };
}

function opened(key: Buffer, stored: Buffer): Buffer {
  try {
    const value = xsalsa20poly1305(key, stored.subarray(0, nonceBytes)).decrypt(stored.subarray(nonceBytes));
    return Buffer.from(value.buffer, value.byteOffset, value.length);
  } catch (cause) {
    // What upstream says of another key, or other bytes than were written.
    throw new Error('output array was not large enough for encryption', { cause });
  }
}
