import type { EncryptionObserver } from './observer.ts';
import type { PlainValue, MaybePromise, ValueContext, ValueTransformer } from './transformer.ts';

export interface PrefixTransformer {
  /** What values begin with that this one wrote; empty for the one that leaves them as they are. */
  readonly prefix: string;
  readonly transformer: ValueTransformer;
}

/**
 * Several ways to write a value: the first writes, each reads what begins with its prefix. A value that the first did
 * not write is stale. Prefixes can be equal, when a provider is there twice with different keys: the first that
 * succeeds counts.
 */
export class PrefixTransformers implements ValueTransformer {
  readonly #all: readonly { readonly prefix: string; readonly bytes: Buffer; readonly transformer: ValueTransformer }[];
  readonly #noMatch: string;
  readonly #observer: EncryptionObserver;

  /** @param noMatch the error for a value with an unknown prefix */
  constructor(all: readonly PrefixTransformer[], noMatch: string, observer: EncryptionObserver) {
    this.#all = all.map(({ prefix, transformer }) => ({ prefix, bytes: Buffer.from(prefix), transformer }));
    this.#noMatch = noMatch;
    this.#observer = observer;
  }

  fromStorage(value: Buffer, context: ValueContext): MaybePromise<PlainValue> {
    return this.#fromStorage(0, value, { ...context, started: performance.now(), failures: [] });
  }

  toStorage(value: Uint8Array, context: ValueContext): MaybePromise<readonly Uint8Array[]> {
    const started = performance.now();
    const { prefix, bytes, transformer } = this.#all[0]!;
    const told = (error?: unknown): void => this.#tell(context, 'to_storage', prefix, started, error);
    const done = (parts: readonly Uint8Array[]): readonly Uint8Array[] => (told(), [bytes, ...parts]);
    const failed = (error: unknown): never => {
      told(error);
      throw error;
    };
    try {
      const parts = transformer.toStorage(value, context);
      return parts instanceof Promise ? parts.then(done, failed) : done(parts);
    } catch (error) {
      return failed(error);
    }
  }

  #fromStorage(from: number, value: Buffer, attempt: Attempt): MaybePromise<PlainValue> {
    for (let i = from; i < this.#all.length; i++) {
      const { bytes, transformer } = this.#all[i]!;
      if (!beginsWith(value, bytes)) continue;
      try {
        const plain = transformer.fromStorage(value.subarray(bytes.length), attempt);
        if (plain instanceof Promise) {
          return plain.then(
            (later) => this.#succeeded(i, later, attempt),
            (error: unknown) => (this.#failed(i, error, attempt), this.#fromStorage(i + 1, value, attempt)),
          );
        }
        return this.#succeeded(i, plain, attempt);
      } catch (error) {
        this.#failed(i, error, attempt);
      }
    }
    throw this.#problem(attempt);
  }

  #succeeded(i: number, { value, stale }: PlainValue, attempt: Attempt): PlainValue {
    this.#tell(attempt, 'from_storage', this.#all[i]!.prefix || 'identity', attempt.started, undefined);
    return { value, stale: stale || i !== 0 };
  }

  /** That a value is encrypted is no failure of the provider that does not encrypt: another one may know it. */
  #failed(i: number, error: unknown, attempt: Attempt): void {
    const { prefix } = this.#all[i]!;
    if (prefix === '') return;
    attempt.failures.push(error);
    this.#tell(attempt, 'from_storage', prefix, attempt.started, error);
  }

  #problem(attempt: Attempt): Error {
    const [first, ...others] = attempt.failures;
    if (first === undefined) {
      const error = new Error(this.#noMatch);
      this.#tell(attempt, 'from_storage', 'unknown', attempt.started, error);
      return error;
    }
    if (others.length === 0) return first as Error;
    return new AggregateError(
      attempt.failures,
      `[${[...new Set(attempt.failures.map((failure) => (failure as Error).message))].join(', ')}]`,
    );
  }

  #tell(
    { resource }: ValueContext,
    direction: 'from_storage' | 'to_storage',
    prefix: string,
    started: number,
    error: unknown,
  ): void {
    this.#observer.transformed(resource, direction, prefix, (performance.now() - started) / 1000, error);
  }
}

interface Attempt extends ValueContext {
  readonly started: number;
  readonly failures: unknown[];
}

const beginsWith = (value: Buffer, prefix: Buffer): boolean =>
  value.length >= prefix.length && value.compare(prefix, 0, prefix.length, 0, prefix.length) === 0;
