/**
 * Limits on the memory that all clients together make the transport occupy. Each connection has limits of its own, but
 * thousands of connections may each use up theirs.
 *
 * The limits are derived from the heap of the process: buffers lie beside the heap, but what is made of them (values,
 * strings,
 * header objects) lies in it and takes a multiple of their bytes.
 */
import { getHeapStatistics } from 'node:v8';
import { EvictingQuota, type Usage } from '../base/evicting-quota.ts';
import { MemoryQuota } from '../base/memory-quota.ts';
import type { Evicted } from './report-evictions.ts';

/** In bytes. */
export interface MemoryLimits {
  /**
   * Of the bodies of requests, from their first byte until the answer is sent. A body that does not fit is
   * refused with 429.
   */
  readonly bodies: number;
  /** Of answers that clients do not read. The answer without progress for longest is broken off. */
  readonly answers: number;
  /**
   * Of heads that are not complete, and of long ones in work, which take ten to thirty times as much. The oldest
   * connection is closed.
   */
  readonly heads: number;
}

export const defaultLimits = (heapBytes: number = getHeapStatistics().heap_size_limit): MemoryLimits => ({
  bodies: heapBytes / 8,
  answers: heapBytes / 4,
  heads: heapBytes / 64,
});

/** Most bodies are shorter. */
const smallBodyBytes = 64 * 1024;
/** Most heads are shorter. */
const smallHeadBytes = 8 * 1024;

export class TransportMemory {
  readonly bodies: MemoryQuota;
  readonly answers: EvictingQuota;
  readonly heads: EvictingQuota;

  /** @param onEvict called for each answer or connection that is ended to keep a limit */
  constructor(limits: MemoryLimits, onEvict: (kind: Evicted) => void) {
    this.bodies = new MemoryQuota({ totalBytes: limits.bodies, smallBytes: smallBodyBytes });
    this.answers = new EvictingQuota(limits.answers, () => onEvict('answer'));
    this.heads = new EvictingQuota(limits.heads, () => onEvict('head'));
  }

  /** Counts a long head until its usage is set to 0. Undefined for the others, which the number of requests bounds. */
  trackHead(bytes: number, evict: () => void): Usage | undefined {
    if (bytes <= smallHeadBytes) return undefined;
    const usage = this.heads.track({ evict });
    usage.set(bytes);
    return usage;
  }
}
