import { fresh, type ValueTransformer } from './transformer.ts';

const encryptedPrefix = Buffer.from('k8s:enc:');

/** Whether a stored value was written by a provider that encrypts. */
export const isEncrypted = (value: Buffer): boolean =>
  value.length >= encryptedPrefix.length &&
  value.compare(encryptedPrefix, 0, encryptedPrefix.length, 0, encryptedPrefix.length) === 0;

export const encryptedRead = (): Error => new Error('identity transformer tried to read encrypted data');

/** Values as they are. */
export const identity: ValueTransformer = {
  fromStorage(value) {
    if (isEncrypted(value)) throw encryptedRead();
    return fresh(value);
  },
  toStorage: (value) => [value],
};
