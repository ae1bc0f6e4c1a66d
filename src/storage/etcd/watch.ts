import { sleep } from '../../base/clock.ts';
import type { Clock } from '../../base/clock.ts';
import type { EtcdClient } from '../../etcd/client.ts';
import type { EtcdConnection } from '../../etcd/connection.ts';
import { EtcdError, unavailable } from '../../etcd/etcd-error.ts';
import { GrpcCode } from '../../grpc/status.ts';
import { firstKey, prefixEnd } from '../../etcd/messages.ts';
import type { WatchEvent, WatchResponse } from '../../etcd/messages.ts';
import { hasSoundProgress, keepsCompactedDeletion } from '../../etcd/version.ts';
import { WatchStream } from '../../etcd/watch.ts';
import { StorageError } from '../storage-error.ts';
import type { KeyEvent, WatchBatch } from '../interface.ts';
import { BatchQueue } from './batch-queue.ts';
import { toStorageError } from './etcd-error-translation.ts';
import { RevisionAssembler } from './revision-assembler.ts';

export interface EtcdWatchOptions {
  readonly client: EtcdClient;
  readonly clock: Clock;
  readonly prefix: string;
  /** 0: from now on. */
  readonly after: number;
  readonly previous: boolean;
  /** A watch that could not be (re)opened for so long ends with `Unavailable`. */
  readonly giveUpAfterMs: number;
  /** Called when nothing more will be received. */
  readonly onEnd: () => void;
}

const backoff = { firstMs: 50, maxMs: 1_000 };

/**
 * A watch that outlives its streams. Whenever a stream ends, the next one begins after the last revision that was
 * received whole; nothing of a revision is passed on before all of it is here.
 *
 * One trap: an older etcd forgets a deletion at the very revision of a compaction, and still accepts a watch that
 * starts there. There a watch that has to catch up starts one revision earlier than it needs: etcd then refuses it in
 * exactly the cases in which something might be missing.
 */
export class EtcdWatch implements AsyncIterator<WatchBatch> {
  readonly #options: EtcdWatchOptions;
  readonly #queue = new BatchQueue((paused) => this.#setPaused(paused));
  /** Every change up to here is in the queue, or was taken. */
  #revision: number;
  /**
   * The caller named no revision, and no event was received yet: if the chosen one is compacted, a later one is used.
   */
  #anyStart: boolean;
  #stream: WatchStream | undefined;
  #soundProgress = false;
  #paused = false;
  #started = false;
  /** Until when there was a stream, or when the watch began. */
  #reachedMs: number;
  #failures = 0;
  readonly #closed = new AbortController();

  constructor(options: EtcdWatchOptions) {
    this.#options = options;
    this.#revision = options.after;
    this.#anyStart = options.after === 0;
    this.#reachedMs = options.clock.now();
  }

  get prefix(): string {
    return this.#options.prefix;
  }

  next(): Promise<IteratorResult<WatchBatch>> {
    if (!this.#started) {
      this.#started = true;
      void this.#run();
    }
    return this.#queue.take();
  }

  return(): Promise<IteratorResult<WatchBatch>> {
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  /** Ends the stream; with an error, the consumer hears of it. */
  close(error?: Error): void {
    this.#queue.discard(error);
    this.#release();
  }

  requestProgress(): void {
    if (this.#soundProgress) this.#stream?.requestProgress();
  }

  async #run(): Promise<void> {
    const { client, clock } = this.#options;
    try {
      this.#reachedMs = clock.now();
      let catchUp = false;
      while (!this.#queue.ended) {
        try {
          if (this.#revision === 0) this.#revision = await client.revisionSeen();
          const connection = await client.watches.connect();
          if (this.#queue.ended) return;
          catchUp = (await this.#follow(connection, catchUp)) === 'needs history';
          if (catchUp) continue;
        } catch (error) {
          this.#judge(error);
        }
        await sleep(
          clock,
          Math.min(backoff.maxMs, backoff.firstMs * 2 ** this.#failures++) * (0.5 + Math.random() / 2),
          this.#closed.signal,
        );
      }
    } catch (error) {
      this.#queue.end(error as Error);
      this.#release();
    }
  }

  #release(): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#stream?.cancel();
    this.#stream = undefined;
    this.#options.onEnd();
  }

  /** Throws what ends the watch; returns when it is worth another try. */
  #judge(error: unknown): void {
    const failure = toStorageError(error);
    if (failure.reason === 'Compacted' && this.#anyStart && failure.revision !== undefined) {
      this.#revision = failure.revision;
      return;
    }
    this.#anyStart = false;
    const passing = failure.reason === 'Unavailable' || failure.reason === 'Timeout';
    if (!passing || this.#options.clock.now() - this.#reachedMs > this.#options.giveUpAfterMs) throw failure;
  }

  /**
   * Follows one stream to its end. Rejects with why it ended; resolves when the stream has to be opened from further
   * back.
   */
  #follow(connection: EtcdConnection, catchUp: boolean): Promise<'needs history'> {
    const { prefix, previous } = this.#options;
    this.#soundProgress = hasSoundProgress(connection.version);
    const assembler = new RevisionAssembler();
    return new Promise((resolve, reject) => {
      let created = false;
      const end = (settle: () => void): void => {
        if (created) this.#reachedMs = this.#options.clock.now();
        this.#stream?.cancel();
        this.#stream = undefined;
        settle();
      };
      const request = {
        key: prefix === '' ? firstKey : prefix,
        rangeEnd: prefixEnd(prefix),
        startRevision: catchUp ? this.#revision : this.#revision + 1,
        progressNotify: this.#soundProgress,
        prevKv: previous,
      };
      this.#stream = new WatchStream(connection, request, {
        onResponse: (response) => {
          if (response.canceled) return end(() => reject(cancellation(response)));
          if (response.created) {
            created = true;
            this.#failures = 0;
            const late = response.revision > this.#revision;
            if (late && !catchUp && !keepsCompactedDeletion(connection.version)) end(() => resolve('needs history'));
            return;
          }
          try {
            this.#take(response, assembler);
          } catch (error) {
            end(() => reject(error as Error));
          }
        },
        onEnd: (error) => end(() => reject(error ?? unavailable('etcd ended the watch'))),
      });
      if (this.#paused) this.#stream.pause();
    });
  }

  #take(response: WatchResponse, assembler: RevisionAssembler): void {
    if (response.events.length === 0) {
      if (this.#soundProgress && !assembler.pending && response.revision > this.#revision)
        this.#deliver(response.revision, []);
      return;
    }
    let events = assembler.push(response.events.map(toKeyEvent), response.fragment);
    if (events[0] !== undefined && events[0].modRevision <= this.#revision)
      events = events.filter((event) => event.modRevision > this.#revision);
    const last = events.at(-1);
    if (last !== undefined) this.#deliver(last.modRevision, events);
  }

  #deliver(revision: number, events: readonly KeyEvent[]): void {
    this.#anyStart = false;
    this.#revision = revision;
    this.#queue.push({ revision, events });
  }

  #setPaused(paused: boolean): void {
    this.#paused = paused;
    if (paused) this.#stream?.pause();
    else this.#stream?.resume();
  }
}

function cancellation({ compactRevision, cancelReason }: WatchResponse): Error {
  if (compactRevision > 0)
    return new StorageError('Compacted', 'etcdserver: mvcc: required revision has been compacted', {
      revision: compactRevision,
    });
  return new EtcdError(GrpcCode.unavailable, cancelReason === '' ? 'etcd canceled the watch' : cancelReason);
}

function toKeyEvent({ type, kv, prevKv }: WatchEvent): KeyEvent {
  const { key, value, modRevision, createRevision } = kv;
  if (prevKv === undefined) return { type, key, value, modRevision, createRevision };
  return { type, key, value, modRevision, createRevision, previous: prevKv };
}
