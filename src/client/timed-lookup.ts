/** Looks up the names of hosts for new connections, as Node does, and says how long that took. */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { ConnectionObserver } from './connection-observer.ts';

/** An option of `net.connect`, which asks it for names and not for addresses. Nothing is said of a failure. */
export const timedLookup =
  (observer: ConnectionObserver | undefined): LookupFunction =>
  (host, options, done) => {
    const begun = performance.now();
    lookup(host, options, (error, address, family) => {
      if (error === null) observer?.resolved?.(host, performance.now() - begun);
      (done as (error: Error | null, address: unknown, family?: number) => void)(error, address, family);
    });
  };
