/** Answers of ours on contexts of Koa's, of this program's applications and of those that it is mounted into. */
import { Readable } from 'node:stream';
import type { ApiResponse, Sink } from '../exchange.ts';

/** What is needed of a context; Koa itself need not be there. */
export interface KoaAnswer {
  status: number;
  body: unknown;
  length?: number | undefined;
  set(field: string, value: string | string[]): void;
  remove(field: string): void;
}

/**
 * Sets an answer on a context. An upgrade or a WebSocket cannot be one.
 *
 * @param onBreak told when an answer breaks off that has begun
 */
export function send(ctx: KoaAnswer, response: ApiResponse, onBreak?: () => void): void {
  const { status, headers } = response;
  // A type that is there already decides what Koa makes of no body.
  ctx.remove('content-type');
  ctx.status = status;
  setBody(ctx, response, onBreak);
  // Koa takes an answer without a body for one without content, and guesses the type of others.
  ctx.status = status;
  ctx.remove('content-type');
  for (const [name, value] of Object.entries(headers))
    ctx.set(name, typeof value === 'object' ? [...value] : String(value));
}

function setBody(ctx: KoaAnswer, response: ApiResponse, onBreak: (() => void) | undefined): void {
  if ('stream' in response) ctx.body = new AnswerStream(response.stream, onBreak);
  else if ('chunks' in response) {
    ctx.body = Readable.from(response.chunks);
    if (response.length !== undefined) ctx.length = response.length;
  } else if (response.body === undefined) ctx.body = null;
  // Behind bytes, Node writes headers byte for byte; before text it would encode them once more.
  else ctx.body = Buffer.isBuffer(response.body) ? response.body : Buffer.from(response.body);
}

/** What a streaming answer writes, as a stream that is read. */
class AnswerStream extends Readable {
  readonly #onClose: (() => void)[] = [];
  /** Those who wait until more is wanted. */
  readonly #waiting: (() => void)[] = [];

  /** It runs in any case: it lets go what it holds open when it finds its sink closed. */
  constructor(stream: (sink: Sink) => Promise<void>, onBreak: () => void = () => undefined) {
    super({ highWaterMark });
    // A break is reported by `onBreak`; the stream may have no reader yet.
    this.on('error', () => undefined);
    const abort = (): void => {
      if (this.destroyed) return;
      this.destroy(new Error('the answer broke off'));
      onBreak();
    };
    stream(this.#sink(abort)).then(() => void this.push(null), abort);
  }

  #sink(abort: () => void): Sink {
    const isClosed = (): boolean => this.destroyed;
    return {
      write: (chunk) => !this.destroyed && this.push(chunk),
      drained: () => (this.destroyed ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))),
      get closed() {
        return isClosed();
      },
      onClose: (listener) => {
        if (this.destroyed) queueMicrotask(listener);
        else this.#onClose.push(listener);
      },
      abort,
    };
  }

  override _read(): void {
    for (const goOn of this.#waiting.splice(0)) goOn();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    callback(error);
    for (const tell of this.#onClose.splice(0)) tell();
    this._read();
  }
}

/** Bytes that wait to be read before the stream is told to wait. */
const highWaterMark = 64 * 1024;
