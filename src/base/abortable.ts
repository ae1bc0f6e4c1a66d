import { onAbort } from './on-abort.ts';

/**
 * The promise's result, or the signal's reason if it aborts before. What the promise does later is of no interest then.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const forget = onAbort(signal, () => reject(signal.reason));
    promise.then(
      (value) => {
        forget();
        resolve(value);
      },
      (error: unknown) => {
        forget();
        reject(error);
      },
    );
  });
}
