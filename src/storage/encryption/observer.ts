/** Reports what happens with stored values to metrics. */
export type Direction = 'from_storage' | 'to_storage';

export interface EncryptionObserver {
  /** @param prefix of the provider or key, `identity`, or `unknown` when no provider knows the value */
  transformed(resource: string, direction: Direction, prefix: string, seconds: number, error: unknown): void;
  /** The key of a value was not at hand: a provider had to be asked for it. */
  cacheMissed(): void;
  keyGenerated(seconds: number): void;
  /** A key could not be generated. */
  keyFailed(): void;
  /** A call to a KMS plugin has ended. */
  kmsCalled(provider: string, method: string, seconds: number, error: unknown): void;
  keyUsed(direction: Direction, provider: string, keyId: string): void;
  keyReported(provider: string, keyId: string): void;
  invalidKeyReported(provider: string, why: 'empty' | 'too_long'): void;
  /** How many decrypted keys are kept. */
  keysKept(provider: string, count: number): void;
  /** KMS v1: how much of the cache for decrypted keys is used, 0 to 1. */
  cacheFilled(share: number): void;
  /** KMS v1 is asked to transform a value. */
  arrived(direction: Direction): void;
  /** The configuration was read again. */
  reloaded(outcome: 'success' | 'failure'): void;
}

/** Where nothing is counted. */
export const noObserver: EncryptionObserver = {
  transformed: () => undefined,
  cacheMissed: () => undefined,
  keyGenerated: () => undefined,
  keyFailed: () => undefined,
  kmsCalled: () => undefined,
  keyUsed: () => undefined,
  keyReported: () => undefined,
  invalidKeyReported: () => undefined,
  keysKept: () => undefined,
  cacheFilled: () => undefined,
  arrived: () => undefined,
  reloaded: () => undefined,
};
