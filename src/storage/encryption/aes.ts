/**
 * AES as values are encrypted with it in the store. What is stored:
 *
 * - CBC: initialization vector (16 bytes), ciphertext with PKCS #7 padding. Not authenticated.
 * - GCM: nonce (12 bytes), ciphertext, tag (16 bytes). The key in the store is authenticated with it.
 * - GCM with a derived key: info (32 random bytes), then as GCM, with the key HKDF-Expand(seed, info) of RFC 5869, made
 *   with SHA-256. Each value has a key of its own, which is what makes random nonces safe for any number of values.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes, type CipherGCMTypes } from 'node:crypto';
import { fresh, type ValueTransformer } from './transformer.ts';

const blockBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const infoBytes = 32;
export const seedBytes = 32;

const tooShort = (): Error => new Error('the stored data was shorter than the required size');

const checkKey = (key: Buffer): number => {
  if (![16, 24, 32].includes(key.length)) throw new Error(`crypto/aes: invalid key size ${key.length}`);
  return key.length * 8;
};

export function aesCbc(key: Buffer): ValueTransformer {
  const algorithm = `aes-${checkKey(key)}-cbc`;
  return {
    fromStorage(stored) {
      if (stored.length < blockBytes) throw tooShort();
      if (stored.length % blockBytes !== 0) throw new Error('the stored data is not a multiple of the block size');
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, blockBytes)).setAutoPadding(false);
      return fresh(withoutPadding(decipher.update(stored.subarray(blockBytes))));
    },
    toStorage(value) {
      const iv = randomBytes(blockBytes);
      const cipher = createCipheriv(algorithm, key, iv);
      return [iv, cipher.update(value), cipher.final()];
    },
  };
}

function withoutPadding(padded: Buffer): Buffer {
  const size = padded.at(-1) ?? 0;
  if (size === 0 || size > padded.length) throw new Error('invalid PKCS7 data (empty or not padded)');
  for (let i = padded.length - size; i < padded.length; i++)
    if (padded[i] !== size) throw new Error('invalid padding on input');
  return padded.subarray(0, padded.length - size);
}

export function aesGcm(key: Buffer): ValueTransformer {
  const algorithm = `aes-${checkKey(key)}-gcm` as CipherGCMTypes;
  return {
    fromStorage(stored, context) {
      if (stored.length < nonceBytes) throw tooShort();
      if (stored.length < nonceBytes + tagBytes) throw unauthentic();
      const decipher = createDecipheriv(algorithm, key, stored.subarray(0, nonceBytes), { authTagLength: tagBytes });
      decipher.setAAD(Buffer.from(context.key)).setAuthTag(stored.subarray(-tagBytes));
      const value = decipher.update(stored.subarray(nonceBytes, -tagBytes));
      try {
        decipher.final();
      } catch (cause) {
        throw unauthentic(cause);
      }
      return fresh(value);
    },
    toStorage(value, context) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(
        Buffer.from(context.key),
      );
      return [nonce, cipher.update(value), cipher.final(), cipher.getAuthTag()];
    },
  };
}

/** Another encryption key, another key in the store, or changed bytes: the three cannot be told apart. */
const unauthentic = (cause?: unknown): Error => new Error('cipher: message authentication failed', { cause });

export function aesGcmWithDerivedKeys(seed: Buffer): ValueTransformer {
  if (seed.length < seedBytes) throw new Error(`invalid seed length ${seed.length} used for key generation`);
  // The first block of HKDF-Expand is as long as the key.
  const derived = (info: Buffer): ValueTransformer =>
    aesGcm(createHmac('sha256', seed).update(info).update(Buffer.of(1)).digest());
  return {
    fromStorage(stored, context) {
      if (stored.length < infoBytes) throw tooShort();
      return derived(stored.subarray(0, infoBytes)).fromStorage(stored.subarray(infoBytes), context);
    },
    toStorage(value, context) {
      const info = randomBytes(infoBytes);
      return [info, ...(derived(info).toStorage(value, context) as readonly Uint8Array[])];
    },
  };
}
