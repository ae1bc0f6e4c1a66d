/** Lets another thread use stores of this one, each under a name. */
import type { Method } from '../../base/message-port-calls.ts';
import type { ListOptions, Store, WatchOptions, WriteOptions } from '../interface.ts';

/** What `RemoteStore` calls. Signals do not go over the port; each call has one of its own here. */
export interface StoreCalls {
  readonly get: readonly [of: string, key: string, options: { revision?: number } | undefined];
  readonly list: readonly [of: string, prefix: string, options: ListOptions | undefined];
  readonly create: readonly [
    of: string,
    key: string,
    value: Uint8Array,
    options: Omit<WriteOptions, 'signal'> | undefined,
  ];
  readonly update: readonly [
    of: string,
    key: string,
    value: Uint8Array,
    expected: number,
    options: Omit<WriteOptions, 'signal'> | undefined,
  ];
  readonly delete: readonly [of: string, key: string, expected: number];
  readonly watch: readonly [of: string, prefix: string, options: Omit<WatchOptions, 'signal'>];
  readonly currentRevision: readonly [of: string];
  readonly requestProgress: readonly [of: string, prefix: string | undefined];
  readonly isStale: readonly [of: string, key: string, revision: number];
  readonly grantLease: readonly [of: string, ttlSeconds: number];
  readonly compact: readonly [of: string, revision: number];
  readonly status: readonly [of: string];
}

type Methods = { readonly [Name in keyof StoreCalls]: (args: StoreCalls[Name], signal: AbortSignal) => unknown };

/** @param storeOf throws for a name that there is not */
export function storeMethods(storeOf: (name: string) => Store): Readonly<Record<string, Method>> {
  const methods: Methods = {
    get: ([of, key, options], signal) => storeOf(of).get(key, { ...options, signal }),
    list: ([of, prefix, options], signal) => storeOf(of).list(prefix, { ...options, signal }),
    create: ([of, key, value, options], signal) => storeOf(of).create(key, value, { ...options, signal }),
    update: ([of, key, value, expected, options], signal) =>
      storeOf(of).update(key, value, expected, { ...options, signal }),
    delete: ([of, key, expected], signal) => storeOf(of).delete(key, expected, { signal }),
    watch: ([of, prefix, options], signal) => storeOf(of).watch(prefix, { ...options, signal }),
    currentRevision: ([of], signal) => storeOf(of).currentRevision(signal),
    requestProgress: ([of, prefix]) => storeOf(of).requestProgress(prefix),
    isStale: ([of, key, revision], signal) => storeOf(of).isStale?.(key, revision, signal) ?? false,
    grantLease: ([of, ttlSeconds]) => storeOf(of).grantLease(ttlSeconds),
    compact: ([of, revision]) => storeOf(of).compact(revision),
    status: ([of], signal) => storeOf(of).status(signal),
  };
  return methods as unknown as Readonly<Record<string, Method>>;
}
