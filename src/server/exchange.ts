/** What a request and its answer are to the middleware, whichever protocol carries them. */
import type { Readable, Writable } from 'node:stream';
import type { PeerCertificate } from '../auth/request-facts.ts';
import type { UserInfo } from '../machinery/user.ts';

/** What a transport hands over for one request. */
export interface Exchange {
  readonly method: string;
  /** Path and query as sent. */
  readonly target: string;
  readonly httpVersion: '1.1' | '2.0';
  /** The other protocol that the client asks for on this connection (RFC 9110 section 7.8), lower case. */
  readonly upgrade?: string | undefined;
  /** Whether the answer may be an {@link UpgradedAnswer}. */
  readonly canChangeProtocol?: boolean;
  /** Whether the answer may be a {@link WebSocketAnswer}. */
  readonly canBecomeWebSocket?: boolean;
  /** First value of a header; names are lower case. */
  header(name: string): string | undefined;
  /** All values of a header in order, from the raw headers (RFC 9110 section 5.3: Node joins repeated ones). */
  headerValues(name: string): string[];
  /** Names of all headers, lower case. */
  headerNames(): string[];
  /**
   * Reads the whole body; throws `BodyTooLarge` as soon as more than `limit` bytes are announced or came, and
   * `TooManyBodies` when there is no memory for what came.
   */
  readBody(limit: number): Promise<Buffer>;
  /** The body as a stream, to be forwarded instead of read completely. Undefined where none was sent. */
  bodyStream(): Readable | undefined;
  readonly remoteAddress: string;
  /** The same object for all requests of a connection; absent when it is gone. */
  readonly connection?: object | undefined;
  /**
   * The verified or unverified client certificate, if one was sent. The same object for all requests of a connection.
   */
  peerCertificate(): PeerCertificate | undefined;
  /** Calls back once when the client is gone or the response is done. */
  onClose(listener: () => void): void;
}

/** Who sent a request, as the program found out that handed it over. Undefined: it does not know the sender. */
export interface Caller {
  readonly user: UserInfo | undefined;
}

export class BodyTooLarge extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`Request entity too large: limit is ${limit}`);
    this.limit = limit;
  }
}

/** The server has no memory for this body beside those that it is reading. The same request may pass a moment later. */
export class TooManyBodies extends Error {
  constructor() {
    super('the server reads too many bodies at once');
  }
}

/** The rest of a body cannot be told from what comes behind it. The connection ends with the answer. */
export class BrokenBody extends Error {}

/** The client went away before its request was done. Nothing failed here. */
export class ClientGone extends Error {
  constructor(when = '') {
    super(`the client closed the request${when}`);
  }
}

export type HeaderMap = Record<string, string | number | readonly string[]>;

/** A complete answer. `chunks` go out one by one under backpressure; `length` is known beforehand. */
export type ApiResponse =
  | { readonly status: number; readonly headers: HeaderMap; readonly body?: Buffer | string }
  | {
      readonly status: number;
      readonly headers: HeaderMap;
      readonly chunks: Iterable<Buffer>;
      readonly length?: number;
    }
  | { readonly status: number; readonly headers: HeaderMap; readonly stream: (sink: Sink) => Promise<void> }
  | WebSocketAnswer
  | UpgradedAnswer;

/**
 * The connection becomes a WebSocket, and what the stream writes are its messages. Only for an exchange that can become
 * one.
 */
export interface WebSocketAnswer {
  readonly status: 101;
  readonly headers: HeaderMap;
  readonly webSocket: {
    /** The subprotocol that is spoken, of those offered. */
    readonly protocol: string | undefined;
    /** Messages are text, not binary. */
    readonly isText: boolean;
    /**
     * Takes what the client says, a message with each write, and ends with it. The client waits while it is full.
     * Without it, clients have nothing to say.
     */
    readonly input?: Writable;
  };
  readonly stream: (sink: Sink) => Promise<void>;
}

/**
 * The connection speaks the protocol that was asked for: the stream writes its bytes, and what the client sends goes
 * into `input`. Only for an exchange that can change its protocol.
 */
export interface UpgradedAnswer {
  readonly status: 101;
  readonly headers: HeaderMap;
  readonly input: Writable;
  readonly stream: (sink: Sink) => Promise<void>;
}

/** Where a streaming answer writes. */
export interface Sink {
  /**
   * Hands bytes to the connection; on a WebSocket they are one message. False when its buffers are full: wait for
   * `drained()`.
   */
  write(chunk: Buffer): boolean;
  drained(): Promise<void>;
  /** Set when the client is gone; nothing more needs to be written. */
  readonly closed: boolean;
  onClose(listener: () => void): void;
  /** Ends the answer at once, without what waits: for a client that does not take it. */
  abort(): void;
}
