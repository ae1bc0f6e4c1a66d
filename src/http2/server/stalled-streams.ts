import { StallTimer } from '../../base/stall-timer.ts';
import type { WriteBuffer } from '../write-buffer.ts';
import type { ResponseScheduler } from './response-scheduler.ts';
import type { ServerStream } from './stream.ts';

export interface StallOptions {
  /** How long bytes may wait without one of them leaving. */
  readonly stallMs: number;
  readonly streams: ReadonlyMap<number, ServerStream>;
  readonly answers: ResponseScheduler;
  readonly writeBuffer: WriteBuffer;
  readonly onStalledStream: (stream: ServerStream) => void;
  /** The client takes nothing, of no stream. */
  readonly onStalledConnection: () => void;
}

/**
 * Finds responses that the client does not read: data waits to be sent, and for a time none of it was. A stream on
 * which there is nothing to send, like a watch without events, may stay as it is.
 *
 * It looks now and then instead of keeping a time for each stream, so a stall is found after one to one and a half
 * times the limit.
 */
export class StalledStreams {
  readonly #options: StallOptions;
  #timer: NodeJS.Timeout | undefined;
  readonly #standstill: StallTimer<ServerStream | WriteBuffer>;

  constructor(options: StallOptions) {
    this.#options = options;
    this.#standstill = new StallTimer(options.stallMs);
  }

  /** To be called when a stream begins. Looking goes on until there is nothing to look at. */
  look(): void {
    this.#timer ??= setTimeout(this.#lookNow, this.#options.stallMs / 2).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  readonly #lookNow = (): void => {
    this.#timer = undefined;
    const { streams, writeBuffer, onStalledStream, onStalledConnection } = this.#options;
    const isStill = this.#standstill.look();
    if (writeBuffer.backlog > 0 && isStill(writeBuffer, writeBuffer.progress)) return onStalledConnection();
    for (const stream of [...streams.values()]) {
      const progress = stream.queue.length > 0 ? this.#progressOf(stream) : undefined;
      if (progress !== undefined && isStill(stream, progress)) onStalledStream(stream);
    }
    if (streams.size > 0 || writeBuffer.backlog > 0) this.look();
  };

  /** Undefined for a queued stream. */
  #progressOf({ sendWindow, sentBytes }: ServerStream): number | undefined {
    const { answers } = this.#options;
    if (sendWindow <= 0) return sentBytes;
    return answers.isWindowClosed ? answers.framesSent : undefined;
  }
}
