import { TokenBucket } from '../../base/token-bucket.ts';
import { ErrorCode } from '../frames.ts';
import { ConnectionError } from '../header-blocks.ts';

/** Streams that the client reset, or that were reset for its protocol error, before their response was complete. */
const resets = { burst: 1000, perSecond: 100 };
/** Frames that carry neither headers nor data of a request. PING is not among them: the backlog bounds its answers. */
const overhead = { burst: 10_000, perSecond: 2_000 };
/** For each DATA frame of a response a client may send several WINDOW_UPDATEs, for the stream and the connection. */
const overheadOfData = 4;

/**
 * Limits of what a client may send without effect on one connection. Beyond them the connection ends with
 * ENHANCE_YOUR_CALM.
 *
 * @see CVE-2023-44487 and CVE-2025-8671 for resets, CVE-2019-9511 and those after it for other frames
 */
export class FloodLimits {
  readonly #resets = new TokenBucket(resets);
  readonly #overhead = new TokenBucket(overhead);
  #framesSent = 0;

  /** A stream was reset. Throws when there were too many. */
  reset(): void {
    if (!this.#resets.take())
      throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too many streams that were broken off');
  }

  /** Throws when there were too many. @param cost more than one for a frame that changes more than one stream */
  spend(cost = 1): void {
    if (!this.#overhead.take(cost))
      throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too many frames that mean nothing');
  }

  /** The end of a request body has arrived. */
  bodyEnded(): void {
    this.#overhead.give(1);
  }

  /** A WINDOW_UPDATE has arrived. Throws when there were too many. @param framesSent DATA frames sent so far */
  windowOpened(framesSent: number): void {
    this.#overhead.give(overheadOfData * (framesSent - this.#framesSent));
    this.#framesSent = framesSent;
    this.spend();
  }
}
