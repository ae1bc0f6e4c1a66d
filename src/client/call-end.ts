/**
 * What ends a call before its answer is there: signals of its caller, a time limit, the end of the client. Each call
 * has one. It costs less than an `AbortController` below an `AbortSignal.any`, and most calls never use it.
 */
import { onAbort } from '../base/on-abort.ts';

export interface CallLimits {
  /** Any of them ends the call, with its reason. */
  readonly signals?: readonly AbortSignal[] | undefined;
  /** Ends the call with a `TimeoutError`. */
  readonly timeoutMs?: number | undefined;
}

export class CallEnd {
  /** Takes the listeners away. */
  readonly #forget: readonly (() => void)[];
  readonly #timer: NodeJS.Timeout | undefined;
  #ended: { readonly reason: unknown } | undefined;
  #listener: ((reason: unknown) => void) | undefined;

  constructor({ signals = [], timeoutMs }: CallLimits) {
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.end(timedOut()), timeoutMs).unref();
    this.#forget = signals.map((signal) => onAbort(signal, () => this.end(signal.reason)));
  }

  end(reason: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = { reason };
    this.#listener?.(reason);
  }

  /** The one part of the call that is under way is told; it takes the place of the part before it. */
  listen(listener: (reason: unknown) => void): void {
    this.#listener = listener;
    if (this.#ended !== undefined) listener(this.#ended.reason);
  }

  /** The promise's result, or the reason of the end if that comes before. */
  before<T>(promise: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.listen(reject);
      promise.then(resolve, reject);
    });
  }

  /** The call is over: nothing is left of its limits, of which there may be many in a second. */
  release(): void {
    clearTimeout(this.#timer);
    for (const forget of this.#forget) forget();
    this.#listener = undefined;
  }
}

export const timedOut = (): DOMException =>
  new DOMException('The operation was aborted due to timeout', 'TimeoutError');
