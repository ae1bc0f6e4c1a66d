/**
 * What ends a call before its answer is there: signals of its caller, a time limit, the end of the client. Each call
 * has one. It costs less than an `AbortController` below an `AbortSignal.any`, and most calls never use it.
 */
export interface CallLimits {
  /** Any of them ends the call, with its reason. */
  readonly signals?: readonly AbortSignal[] | undefined;
  /** Ends the call with a `TimeoutError`. */
  readonly timeoutMs?: number | undefined;
}

export class CallEnd {
  readonly #signals: readonly AbortSignal[];
  readonly #timer: NodeJS.Timeout | undefined;
  #ended: { readonly reason: unknown } | undefined;
  #listener: ((reason: unknown) => void) | undefined;

  readonly #onAbort = (): void => this.end(this.#signals.find(({ aborted }) => aborted)?.reason);

  constructor({ signals = [], timeoutMs }: CallLimits) {
    this.#signals = signals;
    if (timeoutMs !== undefined) this.#timer = setTimeout(() => this.end(timedOut()), timeoutMs).unref();
    for (const signal of signals) {
      signal.addEventListener('abort', this.#onAbort);
      if (signal.aborted) this.#onAbort();
    }
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
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#onAbort);
    this.#listener = undefined;
  }
}

export const timedOut = (): DOMException =>
  new DOMException('The operation was aborted due to timeout', 'TimeoutError');
