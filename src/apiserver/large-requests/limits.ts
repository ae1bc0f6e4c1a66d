/** What the thread for large requests may take. */

/** Shorter bodies cost less than what handing them over does, or little enough not to be noticed by others. */
export const largeBodyBytes = 128 * 1024;

export interface LargeRequestLimits {
  /** Bodies from this length on are large. */
  readonly bodyBytes: number;
  /** Of JavaScript objects in the thread. */
  readonly heapMegabytes: number;
  /** Requests that the thread has at once; others wait. */
  readonly atOnce: number;
  /** After so long without a request the thread ends. */
  readonly idleMs: number;
  /** So long after an abort the thread is asked whether it still answers, and as long it has for that. */
  readonly unresponsiveMs: number;
}

export const usualLimits: LargeRequestLimits = {
  bodyBytes: largeBodyBytes,
  heapMegabytes: 768,
  atOnce: 8,
  idleMs: 30_000,
  unresponsiveMs: 5_000,
};
