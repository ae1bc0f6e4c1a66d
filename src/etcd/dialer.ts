import type { Clock, Timer } from '../base/clock.ts';
import type { Endpoint } from './endpoint.ts';

export interface DialRoundOptions<T> {
  readonly clock: Clock;
  readonly endpoints: readonly Endpoint[];
  /** One endpoint's time to connect and greet. */
  readonly timeoutMs: number;
  /** The next endpoint is tried beside one that takes longer than this. */
  readonly staggerMs: number;
  readonly signal: AbortSignal;
  dial(endpoint: Endpoint, signal: AbortSignal): Promise<T>;
  /** For a connection that came when another had won. */
  discard(late: T): void;
}

/** No endpoint could be connected to; the message has the reason of each. */
export class DialError extends Error {
  override readonly name = 'DialError';
}

/**
 * Tries endpoints in order and resolves with the first that answers. When one refuses, the next is tried at once; when
 * one does not answer, the next is tried after the stagger.
 */
export function dialFirst<T>(options: DialRoundOptions<T>): Promise<T> {
  const { clock, endpoints, timeoutMs, staggerMs, signal, dial, discard } = options;
  return new Promise((resolve, reject) => {
    const failures = new Map<Endpoint, string>();
    const over = new AbortController();
    let started = 0;
    let stagger: Timer | undefined;

    const finish = (): void => {
      stagger?.cancel();
      signal.removeEventListener('abort', onAbort);
      over.abort(new Error('another endpoint answered first'));
    };
    const onAbort = (): void => {
      finish();
      reject(new DialError('closed'));
    };
    const startNext = (): void => {
      const endpoint = endpoints[started];
      if (endpoint === undefined || over.signal.aborted) return;
      started++;
      stagger?.cancel();
      stagger = clock.after(staggerMs, startNext);
      withTimeout(clock, timeoutMs, over.signal, (attempt) => dial(endpoint, attempt)).then(
        (connected) => {
          if (over.signal.aborted) return discard(connected);
          finish();
          resolve(connected);
        },
        (error: unknown) => {
          if (over.signal.aborted) return;
          failures.set(endpoint, error instanceof Error ? error.message : String(error));
          if (failures.size < endpoints.length) return startNext();
          finish();
          reject(new DialError([...failures].map(([{ url }, why]) => `${url}: ${why}`).join('; ')));
        },
      );
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    startNext();
  });
}

async function withTimeout<T>(
  clock: Clock,
  timeoutMs: number,
  outer: AbortSignal,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const abort = new AbortController();
  const onOuter = (): void => abort.abort(outer.reason);
  const timer = clock.after(timeoutMs, () => abort.abort(new Error(`no answer within ${timeoutMs} ms`)));
  outer.addEventListener('abort', onOuter, { once: true });
  try {
    return await run(abort.signal);
  } finally {
    timer.cancel();
    outer.removeEventListener('abort', onOuter);
  }
}
