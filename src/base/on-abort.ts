/**
 * Listeners of signals that end many works at once, such as that of a whole process. A signal looks through all of its
 * listeners when one comes or goes: with hundreds of requests under way that takes longer than what else they do.
 */
import { setMaxListeners } from 'node:events';

const listenersOf = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls the listener once when the signal aborts, at once when it has.
 *
 * @returns takes the listener away
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  let listeners = listenersOf.get(signal);
  if (listeners === undefined) listenersOf.set(signal, (listeners = listenTo(signal)));
  // One listener may be there several times.
  const call = (): void => listener();
  listeners.add(call);
  return () => void listeners.delete(call);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  setMaxListeners(0, signal);
  signal.addEventListener(
    'abort',
    () => {
      listenersOf.delete(signal);
      for (const listener of [...listeners]) if (listeners.delete(listener)) listener();
    },
    { once: true },
  );
  return listeners;
}
