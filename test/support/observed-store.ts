/** A store that notes what is asked of it, and holds calls up where a test wants it. */
import type { Store } from '../../src/storage/interface.ts';

/** What the server asks of its store. */
export interface StoreCalls {
  readonly all: { readonly method: string; readonly args: readonly unknown[] }[];
  /** Resolves at the next call after now that fits. */
  next(fits: (method: string, args: readonly unknown[]) => boolean): Promise<void>;
  /** From now on calls that fit are held up until `release`, or until their signal says that it is over. */
  hang: (method: string, args: readonly unknown[]) => boolean;
  release(): void;
  /** Most deletions at a time so far. */
  readonly deletions: { now: number; most: number };
}

export function observed(): { calls: StoreCalls; wrap: (store: Store) => Store } {
  const holds: (() => void)[] = [];
  const waiting = new Set<(method: string, args: readonly unknown[]) => void>();
  const calls: StoreCalls = {
    all: [],
    hang: () => false,
    release: () => {
      calls.hang = () => false;
      holds.forEach((end) => end());
    },
    deletions: { now: 0, most: 0 },
    next: (fits) =>
      new Promise((resolve) => {
        const look = (method: string, args: readonly unknown[]): void => {
          if (!fits(method, args)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
      }),
  };
  const wrap = (store: Store): Store =>
    new Proxy(store, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member !== 'function' || typeof name === 'symbol') return member;
        return (...args: unknown[]): unknown => {
          calls.all.push({ method: name, args });
          for (const look of waiting) look(name, args);
          if (calls.hang(name, args))
            return held(args, holds).then(() => Reflect.apply(member, target, args) as unknown);
          const result: unknown = Reflect.apply(member, target, args);
          if (name === 'delete') countWhile(calls.deletions, result as Promise<unknown>);
          return result;
        };
      },
    });
  return { calls, wrap };
}

function held(args: readonly unknown[], holds: (() => void)[]): Promise<void> {
  return new Promise((resolve, reject) => {
    holds.push(resolve);
    for (const arg of args) {
      const signal = arg instanceof AbortSignal ? arg : (arg as { signal?: AbortSignal } | undefined)?.signal;
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    }
  });
}

function countWhile(count: StoreCalls['deletions'], work: Promise<unknown>): void {
  count.most = Math.max(count.most, ++count.now);
  void work.finally(() => count.now--).catch(() => undefined);
}
