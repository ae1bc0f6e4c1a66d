/** `--max-connection-bytes-per-sec`: how fast bytes go through a stream, each way by itself. */
import { type Readable, Transform, type TransformCallback, type Writable, pipeline } from 'node:stream';
import { type Clock, systemClock } from '../../base/clock.ts';

/** What one direction of a stream goes through. */
export interface Throttling {
  /** What is read instead. */
  source(stream: Readable): Readable;
  /** What is written to instead. */
  target(stream: Writable): Writable;
}

/** @param bytesPerSecond 0 for no limit */
export function throttlingOf(bytesPerSecond: number, clock: Clock = systemClock): Throttling {
  if (bytesPerSecond <= 0) return { source: (stream) => stream, target: (stream) => stream };
  const join = (from: Readable, to: Writable): void => {
    // What fails ends the others, and tells them why.
    pipeline(from, to, () => undefined);
  };
  return {
    source(stream) {
      const throttle = new Throttle(bytesPerSecond, clock);
      join(stream, throttle);
      return throttle;
    },
    target(stream) {
      const throttle = new Throttle(bytesPerSecond, clock);
      join(throttle, stream);
      return throttle;
    },
  };
}

/** Pieces are so short that one of them passes in this time. */
const pieceMs = 100;

class Throttle extends Transform {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  /** When the next piece may pass. */
  #freeAt: number;

  constructor(bytesPerSecond: number, clock: Clock) {
    super({ highWaterMark: 16 * 1024 });
    this.#bytesPerMs = bytesPerSecond / 1000;
    this.#clock = clock;
    this.#freeAt = clock.now();
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.destroyed) return;
    const now = this.#clock.now();
    if (now < this.#freeAt)
      return void this.#clock.after(Math.ceil(this.#freeAt - now), () => this._transform(chunk, _encoding, done));
    const piece = chunk.subarray(0, Math.max(1, Math.floor(this.#bytesPerMs * pieceMs)));
    this.#freeAt = now + piece.length / this.#bytesPerMs;
    if (piece.length === chunk.length) return done(null, piece);
    this.push(piece);
    this._transform(chunk.subarray(piece.length), _encoding, done);
  }
}
