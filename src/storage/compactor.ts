/**
 * Compaction agreed between all API servers on one store, those of upstream included: both keep the same key.
 *
 * `compact_rev_key` holds the revision that was, or is about to be, compacted. Each server tries at its own interval to
 * replace it, guarded by what it last saw there. The server that succeeds compacts the revision that was current at its
 * last try; the guard of the others fails, and they wait. So one server compacts at the interval, history reaches back
 * at least one interval and at most two, and when that server dies another one takes over.
 *
 * Upstream guards by the key's `version`, we by its `modRevision`: either changes with every write of the other.
 */
import type { Clock } from '../base/clock.ts';
import { silentLogger } from '../base/logger.ts';
import type { Logger } from '../base/logger.ts';
import { Ticker } from '../base/ticker.ts';
import type { Store } from './interface.ts';

export const compactRevisionKey = 'compact_rev_key';

export interface CompactorOptions {
  readonly store: Pick<Store, 'update' | 'compact'>;
  readonly clock: Clock;
  /** `--store-compaction-interval`; 0 disables. The first try comes after one interval. */
  readonly intervalMs: number;
  readonly log?: Logger;
  /** History below this revision was compacted, by this server or another one. */
  readonly onCompacted?: (revision: number) => void;
}

export interface Compactor {
  /** Resolves when nothing is under way any more. */
  stop(): Promise<void>;
}

export function startCompactor(options: CompactorOptions): Compactor {
  if (options.intervalMs <= 0) return { stop: async () => {} };
  const rounds = new CompactionRounds(options);
  const log = options.log ?? silentLogger;
  let running: Promise<void> | undefined;
  const ticker = new Ticker(options.clock, options.intervalMs, () => {
    running ??= rounds
      .next()
      .catch((error: unknown) => log.warn({ err: error }, 'compaction failed; the next one comes after the interval'))
      .finally(() => (running = undefined));
  });
  ticker.start();
  return {
    async stop() {
      ticker.stop();
      await running;
    },
  };
}

class CompactionRounds {
  readonly #options: CompactorOptions;
  /** The `modRevision` at which the key was last seen; 0 when it did not exist. */
  #seen = 0;
  /** The store's revision at the last try; 0 before the first. */
  #revision = 0;

  constructor(options: CompactorOptions) {
    this.#options = options;
  }

  async next(): Promise<void> {
    const { store, onCompacted, log = silentLogger } = this.#options;
    const compact = this.#revision;
    const result = await store.update(compactRevisionKey, Buffer.from(String(compact)), this.#seen);
    this.#revision = result.revision;
    if (!result.applied) {
      this.#seen = result.current?.modRevision ?? 0;
      const theirs = Number(result.current?.value.toString() ?? 0);
      if (Number.isSafeInteger(theirs) && theirs > 0) onCompacted?.(theirs);
      return;
    }
    this.#seen = result.revision;
    // At the first try there is no revision yet that is an interval old.
    if (compact === 0) return;
    await store.compact(compact);
    log.debug({ revision: compact }, 'compacted the store');
    onCompacted?.(compact);
  }
}
