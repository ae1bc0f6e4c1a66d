/** One request over an HTTP/2 connection, with the body of its answer as it is read. */
import type { Http2Connection } from '../../http2/client/connection.ts';
import { Http2Error, type Http2Stream, type StreamHandler } from '../../http2/client/stream.ts';
import { encodeRequest } from '../../http2/hpack/encoder.ts';
import type { Headers } from '../../http2/hpack/stateless.ts';
import { ClientClosedError, ConnectionError, type TransportAnswer, type TransportRequest } from './message.ts';

/** Of a body that is not read: above it the server may only fill the stream's window. */
const unreadBytes = 256 * 1024;

export function sendOverHttp2(
  connection: Http2Connection,
  authority: string,
  request: TransportRequest,
): Promise<TransportAnswer> {
  return new Promise((resolve, reject) => new Exchange(connection, authority, request, resolve, reject));
}

class Exchange implements StreamHandler {
  readonly #stream: Http2Stream;
  readonly #signal: AbortSignal;
  readonly #reject: (error: unknown) => void;
  readonly #resolve: (answer: TransportAnswer) => void;
  readonly #onAbort: () => void;
  #isAnswered = false;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #isPaused = false;
  #takenBytes = 0;
  #isRead = false;
  #end: { readonly error?: unknown } | undefined;
  #wake: () => void = () => undefined;

  constructor(
    connection: Http2Connection,
    authority: string,
    { method, path, headers, body, signal }: TransportRequest,
    resolve: (answer: TransportAnswer) => void,
    reject: (error: unknown) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.throwIfAborted();
    const block = encodeRequest([
      [':method', method],
      [':scheme', 'https'],
      [':path', path],
      [':authority', authority],
      ...headers,
      ...(body === undefined ? [] : [['content-length', String(body.length)] as const]),
    ]);
    this.#onAbort = () => {
      this.#stream.cancel();
      this.#finish({ error: signal.reason });
    };
    this.#stream = opened(() => connection.open(block, this));
    signal.addEventListener('abort', this.#onAbort, { once: true });
    this.#stream.send(body ?? noBytes, true);
  }

  onHeaders(headers: Headers): void {
    const status = Number(headers.get(':status') ?? 0);
    // Trailers, and informational answers before the real one.
    if (this.#isAnswered || (status >= 100 && status < 200)) return;
    this.#isAnswered = true;
    const bodyBytes = (): number | undefined => (this.#isRead ? this.#takenBytes : undefined);
    this.#resolve({ status, headers, body: this.#read(), bodyBytes });
  }

  onData(piece: Buffer): void {
    this.#pieces.push(Buffer.from(piece));
    this.#bytes += piece.length;
    if (this.#bytes > unreadBytes && !this.#isPaused) {
      this.#isPaused = true;
      this.#stream.pause();
    }
    this.#wake();
  }

  onClose(error?: Http2Error): void {
    this.#finish(error === undefined ? {} : { error: connectionError(error) });
  }

  #finish(end: { readonly error?: unknown }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (!this.#isAnswered)
      this.#reject(end.error ?? new ConnectionError('the server ended a request without an answer'));
    this.#wake();
  }

  async *#read(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
          this.#taken(piece.length);
          yield piece;
        } else if (this.#end?.error !== undefined) throw this.#end.error;
        else if (this.#end !== undefined) {
          this.#isRead = true;
          return;
        } else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.#stream.cancel();
      this.#finish({});
    }
  }

  #taken(bytes: number): void {
    this.#takenBytes += bytes;
    this.#bytes -= bytes;
    if (!this.#isPaused || this.#bytes > unreadBytes / 2) return;
    this.#isPaused = false;
    this.#stream.resume();
  }
}

const noBytes = Buffer.alloc(0);

function opened(open: () => Http2Stream): Http2Stream {
  try {
    return open();
  } catch (error) {
    throw error instanceof Http2Error ? connectionError(error) : error;
  }
}

const connectionError = (error: Http2Error): Error =>
  error.cause instanceof ClientClosedError
    ? error.cause
    : new ConnectionError(error.message, { isUnprocessed: error.unprocessed, cause: error });
