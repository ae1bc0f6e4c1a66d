/**
 * A signal that aborts after the time, with a `TimeoutError` as its reason.
 *
 * In place of `AbortSignal.timeout`: inside `AbortSignal.any` Node 20 lets the garbage collector take that one, and the
 * limit is gone with it. This one is held by its timer, which does not keep the process alive.
 */
export function timeLimit(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  ).unref();
  return controller.signal;
}
