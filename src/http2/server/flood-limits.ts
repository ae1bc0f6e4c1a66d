import { ErrorCode } from '../frames.ts';
import { ConnectionError } from '../header-blocks.ts';
import { Allowance } from './allowance.ts';

/**
 * Streams that were broken off before they were answered, by the client or for a mistake of its: what was done for them
 * is lost.
 */
const resets = { burst: 1000, perSecond: 100 };
/**
 * Frames that carry neither a request nor a byte of one. Pings are not among them: their answers are bounded by the
 * backlog.
 */
const overhead = { burst: 10_000, perSecond: 2_000 };
/** Of each frame of an answer a client may say that it took it, for the stream and for the connection. */
const overheadOfData = 4;

/**
 * What a client does in vain. All of it together is bounded, and beyond that the connection ends with
 * ENHANCE_YOUR_CALM.
 *
 * @see CVE-2023-44487 and CVE-2025-8671 for resets, CVE-2019-9511 and those after it for other frames
 */
export class FloodLimits {
  readonly #resets = new Allowance(resets);
  readonly #overhead = new Allowance(overhead);
  #framesSent = 0;

  /** A stream was broken off. Throws when there were too many. */
  reset(): void {
    if (!this.#resets.take())
      throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too many streams that were broken off');
  }

  /** Throws when there were too many. @param cost more than one for a frame that changes more than one stream */
  spend(cost = 1): void {
    if (!this.#overhead.take(cost))
      throw new ConnectionError(ErrorCode.enhanceYourCalm, 'too many frames that mean nothing');
  }

  /** A body has come to its end. */
  bodyEnded(): void {
    this.#overhead.give(1);
  }

  /** A window was opened. Throws when it was too often. @param framesSent of DATA, on the connection so far */
  windowOpened(framesSent: number): void {
    this.#overhead.give(overheadOfData * (framesSent - this.#framesSent));
    this.#framesSent = framesSent;
    this.spend();
  }
}
