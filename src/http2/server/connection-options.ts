/** The limits of a connection, and the handler of its requests. */
import type { EvictingQuota } from '../../base/evicting-quota.ts';
import type { MemoryQuota } from '../../base/memory-quota.ts';
import type { ServerStream } from './stream.ts';

export interface ServerConnectionOptions {
  /** Open at a time, SETTINGS_MAX_CONCURRENT_STREAMS. */
  readonly maxStreams: number;
  /** What a client may send of one body ahead of what was read. */
  readonly streamWindowBytes: number;
  /** The same of all bodies together; no less than 65,535, which no setting can take away (RFC 9113, section 6.9.2). */
  readonly connectionWindowBytes: number;
  /** Of all fields of a request, counted as in RFC 9113, section 6.5.2. */
  readonly maxHeaderListBytes: number;
  /** A connection without streams for so long is ended. */
  readonly idleMs: number;
  /**
   * An answer of which something waits for so long, and nothing leaves, is broken off; the connection is, when the
   * client reads nothing any more.
   */
  readonly stallMs: number;
  /** A connection that was told to go is ended after so long, whatever its streams do. */
  readonly leaveMs: number;
  /** The memory that all connections together may occupy. */
  readonly memory?: ServerMemory;
  /** Settles when nothing is done for the request any more, which may be after its stream is over. Never rejects. */
  readonly onRequest: (stream: ServerStream) => Promise<void>;
}

export interface ServerMemory {
  /** Bodies that are not read yet. The stream of one that does not fit goes on without it. */
  readonly bodies: MemoryQuota;
  /** Answers that are not taken. When one is evicted its stream is reset, or its connection closed. */
  readonly answers: EvictingQuota;
  /** Header blocks that are not whole. When one is evicted its connection is closed. */
  readonly heads: EvictingQuota;
}
