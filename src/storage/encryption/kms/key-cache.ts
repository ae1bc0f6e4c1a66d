import { createHash } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import type { ValueTransformer } from '../transformer.ts';

interface Kept {
  readonly transformer: ValueTransformer;
  readonly expiresAt: number;
}

const keepMs = 24 * 3_600_000;

/**
 * Decrypted keys by what they look like encrypted. A key that is used is worth its place: one that is old goes when
 * another one comes, and until then it serves.
 */
export class KeyCache {
  readonly #clock: Clock;
  readonly #onSize: (size: number) => void;
  readonly #kept = new Map<string, Kept>();

  constructor(clock: Clock, onSize: (size: number) => void) {
    this.#clock = clock;
    this.#onSize = onSize;
  }

  get(id: Buffer): ValueTransformer | undefined {
    return this.#kept.get(nameOf(id))?.transformer;
  }

  set(id: Buffer, transformer: ValueTransformer): void {
    const now = this.#clock.now();
    for (const [name, { expiresAt }] of this.#kept) if (expiresAt < now) this.#kept.delete(name);
    this.#kept.set(nameOf(id), { transformer, expiresAt: now + keepMs });
    this.#onSize(this.#kept.size);
  }
}

const nameOf = (id: Buffer): string => createHash('sha256').update(id).digest('base64');
