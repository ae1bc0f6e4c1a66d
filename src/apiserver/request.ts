/**
 * The request description: what the filter chain and the endpoints know of a request. A leaf: it knows no transport,
 * so that HTTP/2, HTTP/1.1 and upgraded connections pass the same chain.
 */
import type { X509Certificate } from 'node:crypto';
import type { Readable, Writable } from 'node:stream';
import { describeWork, type Work, type WorkDescription } from '../base/work.ts';
import type { ObjectMeta } from '../machinery/object-meta.ts';
import type { Status } from '../machinery/status.ts';
import type { UserInfo } from '../machinery/user.ts';
import { isLongRunning, type RequestInfo } from './request-info.ts';
import { Warnings } from './warnings.ts';

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
  /** Reads the whole body; throws `BodyTooLarge` as soon as more than `limit` bytes are announced or came. */
  readBody(limit: number): Promise<Buffer>;
  /** The body for somebody who passes it on, instead of reading it whole. Undefined where none was sent. */
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

/** What audit keeps of a request. Steps that have something for it find it at {@link ApiRequest.audit}. */
export interface RequestRecord {
  /**
   * For steps that would have to make it first: whether the policy wants the object of the request, or of the answer.
   */
  readonly keepsRequest: boolean;
  readonly keepsResponse: boolean;
  readonly omitsManagedFields: boolean;
  /** Adds a note, unless there is one under this key. Nothing secret: notes are in every event. */
  annotate(key: string, value: string): void;
  /** What the body says of the object that the path leaves open. */
  completeReference(metadata: ObjectMeta): void;
  /** @param json on one line */
  keepRequest(json: string): void;
  /** @param json on one line */
  keepResponse(json: string): void;
  /** A Status that is the answer. */
  keepStatus(status: Partial<Status>): void;
}

export interface PeerCertificate {
  readonly certificate: X509Certificate;
  /** Those between it and an authority, as far as the client sent them. */
  readonly issuers: readonly X509Certificate[];
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Whether, at the handshake, the chain led to any authority that this server asks for, whatever for. */
  readonly verified: boolean;
  readonly error: string | undefined;
}

export class BodyTooLarge extends Error {
  readonly limit: number;
  constructor(limit: number) {
    super(`Request entity too large: limit is ${limit}`);
    this.limit = limit;
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

/** Characters of a name in a description of the work: clients choose how long they are. */
const maxDescribed = 256;

/** One request on its way through the chain. Filters fill it in order; nothing is removed. */
export class ApiRequest implements Work {
  readonly exchange: Exchange;
  readonly method: string;
  /** Decoded path, and the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly auditId: string;
  readonly receivedAt: number;
  info!: RequestInfo;
  user!: UserInfo;
  /** Undefined where nothing is recorded: no policy, or none that wants this request. */
  audit: RequestRecord | undefined;
  /** Texts for `Warning` headers (RFC 7234 section 5.5, code 299). */
  readonly warnings = new Warnings();
  /** Whether the connection ends after the answer, in HTTP/2. */
  closes = false;
  /** Whether the client speaks the `orch` names (design: names on the wire); answered in kind. */
  orchNames = false;
  /** Bodies from this length on are worked on elsewhere (`large-requests/`). */
  largeBodyBytes: number | undefined;
  /** The body, where it has been read already. */
  givenBody: Buffer | undefined;
  #controller: AbortController | undefined;
  #aborted: Error | undefined;

  constructor(exchange: Exchange, path: string, query: URLSearchParams, auditId: string, receivedAt: number) {
    this.exchange = exchange;
    this.method = exchange.method;
    this.path = path;
    this.query = query;
    this.auditId = auditId;
    this.receivedAt = receivedAt;
  }

  header(name: string): string | undefined {
    return this.exchange.header(name);
  }

  get isLongRunning(): boolean {
    return isLongRunning(this.info);
  }

  [describeWork](): WorkDescription {
    const { info } = this;
    // Filled in order: an early step knows less.
    const user = (this.user as UserInfo | undefined)?.name ?? '';
    const { verb, group, version, resource, subresource, namespace, name } = info;
    const about = info.isResourceRequest
      ? { verb, group, version, resource, subresource, namespace, name, user }
      : { verb, path: info.path, user };
    return Object.fromEntries(
      Object.entries({ ...about, auditId: this.auditId })
        .filter(([, text]) => text !== '')
        .map(([key, text]) => [key, text.slice(0, maxDescribed)]),
    );
  }

  /** Ends when the client goes away or the request times out. Made at first use: most requests never need it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
      else this.exchange.onClose(() => this.abort(new ClientGone()));
    }
    return this.#controller.signal;
  }

  abort(reason: Error): void {
    this.#aborted ??= reason;
    this.#controller?.abort(reason);
  }

  /** Whether another server answers, or should have: it counts the request then. */
  isPassedOn = false;

  /** Called once when the work is another server's from here on, so that it takes no place here. */
  onHandOver: (() => void) | undefined;

  handOver(): void {
    this.onHandOver?.();
    this.onHandOver = undefined;
  }

  /** Adds to what the audit event of this request says, where there is one. */
  annotate(key: string, value: string): void {
    this.audit?.annotate(key, value);
  }

  /** Returns what takes back every warning since. */
  beginWarnings(): () => void {
    return this.warnings.mark();
  }

  /** Adds a warning once. False when no more are told: the caller need not make them. */
  warn(text: string): boolean {
    this.warnings.add(text);
    return !this.warnings.isFull;
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

export type Handler = (request: ApiRequest) => Promise<ApiResponse>;

/** A step of the chain: judges, adds to the request, or answers instead of the rest. */
export type Filter = (request: ApiRequest, next: Handler) => Promise<ApiResponse>;
