/** gRPC calls over one HTTP/2 connection: a unary call, and a stream that stays open in both directions. */
import { GrpcError, unavailable } from './grpc-error.ts';
import type { Http2Connection } from '../http2/client/connection.ts';
import { ErrorCode } from '../http2/frames.ts';
import { encodeHeaders } from '../http2/hpack/encoder.ts';
import type { Headers } from '../http2/hpack/stateless.ts';
import type { Http2Error, Http2Stream, StreamHandler } from '../http2/client/stream.ts';
import { ProtoReader } from '../base/protobuf/reader.ts';
import { MessageReader } from './message-reader.ts';
import { GrpcCode, grpcCodeOfHttpStatus, parseGrpcCode, parseGrpcMessage } from './status.ts';

/** As upstream's client: what a signed 32-bit length can say. */
const maxMessageBytes = 0x7fff_ffff;

/** Reads a message; `reader.end` is its end. */
export type Decode<T> = (reader: ProtoReader) => T;

/** A method, and how its answer is read. */
export interface Method<Response> {
  /** `/etcdserverpb.KV/Range` */
  readonly path: string;
  readonly decode: Decode<Response>;
}

/** The header block of every request for a method. */
export function requestHeaders(
  path: string,
  {
    authority,
    secure,
    metadata = [],
  }: {
    readonly authority: string;
    readonly secure: boolean;
    readonly metadata?: readonly (readonly [string, string])[];
  },
): Buffer {
  return encodeHeaders([
    [':method', 'POST'],
    [':scheme', secure ? 'https' : 'http'],
    [':path', path],
    [':authority', authority],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ['user-agent', 'orch'],
    ...metadata,
  ]);
}

/** Settles once: with the answer, or with a `GrpcError`. */
export interface UnaryOutcome<Response> {
  readonly resolve: (response: Response) => void;
  readonly reject: (error: GrpcError) => void;
}

/** What both kinds of call have in common: the status at the end, and messages on the way to it. */
abstract class Call implements StreamHandler {
  /** The name of the called program in error messages. */
  protected readonly peer: string;
  protected stream: Http2Stream | undefined;
  readonly #reader: MessageReader;
  #httpStatus = '';
  #ok = false;
  #refusal: GrpcError | undefined;
  #done = false;

  constructor(peer: string, maxBytes = maxMessageBytes) {
    this.peer = peer;
    this.#reader = new MessageReader((buffer, start, end) => {
      if (!this.#done) this.onMessage(new ProtoReader(buffer, start, end));
    }, maxBytes);
  }

  protected abstract onMessage(reader: ProtoReader): void;
  /** Called once. Undefined when the peer said OK. */
  protected abstract onEnd(error: GrpcError | undefined): void;

  onHeaders(headers: Headers): void {
    this.#httpStatus ||= headers.get(':status') ?? '';
    const text = headers.get('grpc-status');
    if (text === undefined) return;
    const code = parseGrpcCode(text);
    if (code === GrpcCode.ok) this.#ok = true;
    else this.#refusal = new GrpcError(code, parseGrpcMessage(headers.get('grpc-message') ?? ''));
  }

  onData(piece: Buffer): void {
    if (this.#done) return;
    try {
      this.#reader.push(piece);
    } catch (error) {
      this.abort(
        error instanceof GrpcError
          ? error
          : new GrpcError(GrpcCode.internal, `an answer that cannot be read: ${String(error)}`, { cause: error }),
      );
    }
  }

  onClose(error?: Http2Error): void {
    // A status that arrived before the stream was reset stands.
    if (this.#ok) this.#finish(undefined);
    else if (this.#refusal !== undefined) this.#finish(this.#refusal);
    else if (error !== undefined) this.#finish(fromHttp2(error, this.peer));
    else if (this.#httpStatus === '200') this.#finish(unavailable(`${this.peer} ended a call without a status`));
    else
      this.#finish(
        new GrpcError(grpcCodeOfHttpStatus(this.#httpStatus), `HTTP status ${this.#httpStatus} instead of an answer`),
      );
  }

  /** Ends the call from our side with this error. */
  abort(error: GrpcError): void {
    if (this.#done) return;
    this.stream?.cancel();
    this.#finish(error);
  }

  protected finishSilently(): void {
    this.#done = true;
  }

  #finish(error: GrpcError | undefined): void {
    if (this.#done) return;
    this.#done = true;
    this.onEnd(error);
  }
}

function fromHttp2(error: Http2Error, peer: string): GrpcError {
  const details = { unprocessed: error.unprocessed, cause: error };
  if (error.code === ErrorCode.enhanceYourCalm && !error.unprocessed)
    return new GrpcError(GrpcCode.resourceExhausted, error.message, details);
  return unavailable(`connection to ${peer}: ${error.message}`, details);
}

export class UnaryCall<Response> extends Call {
  readonly #decode: Decode<Response>;
  readonly #outcome: UnaryOutcome<Response>;
  #response: Response | undefined;

  /** @param maxBytes of the answer */
  constructor(decode: Decode<Response>, outcome: UnaryOutcome<Response>, peer: string, maxBytes?: number) {
    super(peer, maxBytes);
    this.#decode = decode;
    this.#outcome = outcome;
  }

  /** Sends the request; `body` is a whole gRPC message. Once. */
  start(connection: Http2Connection, headers: Buffer, body: Buffer): void {
    this.stream = connection.open(headers, this);
    this.stream.send(body, true);
  }

  protected override onMessage(reader: ProtoReader): void {
    this.#response = this.#decode(reader);
  }

  protected override onEnd(error: GrpcError | undefined): void {
    if (error !== undefined) this.#outcome.reject(error);
    else if (this.#response === undefined)
      this.#outcome.reject(new GrpcError(GrpcCode.internal, `${this.peer} said OK without an answer`));
    else this.#outcome.resolve(this.#response);
  }
}

export interface StreamCallHandler<Message> {
  onMessage(message: Message): void;
  /** What `send()` could not hand on at once has left. */
  onDrain?(): void;
  /** Last, once. Without an error the peer ended the stream with OK. */
  onEnd(error: GrpcError | undefined): void;
}

/** A call that stays open: messages go both ways until one side ends it. */
export class StreamCall<Message> extends Call {
  readonly #decode: Decode<Message>;
  readonly #handler: StreamCallHandler<Message>;

  /** @param maxBytes of one message; a longer one ends the call */
  constructor(decode: Decode<Message>, handler: StreamCallHandler<Message>, peer: string, maxBytes?: number) {
    super(peer, maxBytes);
    this.#decode = decode;
    this.#handler = handler;
  }

  start(connection: Http2Connection, headers: Buffer): void {
    this.stream = connection.open(headers, this);
  }

  /** False where flow control holds it, or a part of it, back: `onDrain` says when it has left. */
  send(body: Buffer): boolean {
    return this.stream?.send(body, false) ?? true;
  }

  /** Sends what is all that this side says. */
  sendLast(body: Buffer): void {
    this.stream?.send(body, true);
  }

  onDrain(): void {
    this.#handler.onDrain?.();
  }

  /** Ends the call; the handler hears nothing more. */
  cancel(): void {
    this.finishSilently();
    this.stream?.cancel();
  }

  /** Lets the peer send no more than fits into the window, until `resume()`. */
  pause(): void {
    this.stream?.pause();
  }

  resume(): void {
    this.stream?.resume();
  }

  protected override onMessage(reader: ProtoReader): void {
    this.#handler.onMessage(this.#decode(reader));
  }

  protected override onEnd(error: GrpcError | undefined): void {
    this.#handler.onEnd(error);
  }
}
