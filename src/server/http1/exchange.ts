import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type Reservation, unlimited } from '../../base/memory-quota.ts';
import { type PeerCertificate } from '../../auth/request-facts.ts';
import { BodyTooLarge, ClientGone, type Exchange } from '../exchange.ts';
import { onBrokenBody } from './broken-bodies.ts';
import { HeaderValues, keptFields } from '../header-values.ts';
import { LimitedBody } from '../limited-body.ts';
import { peerCertificateOf } from '../tls/peer-certificate.ts';

/**
 * The protocol that an `Upgrade` header asks for, where `Connection` says that it counts; undefined where it asks for
 * none.
 */
export const asksForUpgrade = ({ headers }: IncomingMessage): string | undefined =>
  /upgrade/i.test(headers.connection ?? '') ? (headers.upgrade ?? '') : undefined;

/** Whether nothing of a request is left to read. */
export const isRead = (message: IncomingMessage): boolean => message.complete && message.readableLength === 0;

const beforeEnd = ' before its body was complete';

/**
 * A client may say all of the URL, as it must to a proxy (RFC 9112 section 3.2.2); the host is ours, whatever it is
 * called.
 */
const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i;

/** One HTTP/1.1 request as an exchange (RFC 9112). */
export class Http1Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly httpVersion = '1.1';
  readonly upgrade: string | undefined;
  readonly canChangeProtocol: boolean = false;
  readonly canBecomeWebSocket: boolean = false;
  readonly #message: IncomingMessage;
  readonly #response: ServerResponse | undefined;
  readonly #reservation: Reservation;
  /** Of all headers, when they are first asked for. */
  #values: HeaderValues | undefined;
  #isForgotten = false;

  constructor(
    message: IncomingMessage,
    {
      response,
      upgrade,
      reservation = unlimited,
    }: { readonly response?: ServerResponse; readonly upgrade: string | undefined; readonly reservation?: Reservation },
  ) {
    this.#message = message;
    this.#response = response;
    this.#reservation = reservation;
    this.upgrade = upgrade?.toLowerCase();
    this.method = message.method ?? 'GET';
    // CONNECT names a host and no path (RFC 9112 section 3.2.3).
    this.target = this.method === 'CONNECT' ? '' : (message.url ?? '/').replace(origin, '');
  }

  header(name: string): string | undefined {
    if (this.#isForgotten) return this.#values!.first(name);
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  headerValues(name: string): string[] {
    return (this.#values ??= new HeaderValues(
      this.#message.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)),
    )).all(name);
  }

  headerNames(): string[] {
    return this.#isForgotten ? this.#values!.names() : Object.keys(this.#message.headers);
  }

  async readBody(limit: number): Promise<Buffer> {
    if (Number(this.header('content-length') ?? 0) > limit) throw new BodyTooLarge(limit);
    this.#askForBody();
    return collectBody(this.#message, limit, this.#reservation);
  }

  bodyStream(): Readable | undefined {
    if (this.header('transfer-encoding') === undefined && Number(this.header('content-length') ?? 0) === 0)
      return undefined;
    this.#askForBody();
    // A server that it is forwarded to must not take the received part for the whole body.
    onBrokenBody(this.#message, () => this.#message.destroy());
    return this.#message;
  }

  /** For an answer that may last: most of what was asked with is let go. */
  forgetHeaders(): void {
    this.#values = new HeaderValues(keptFields((name) => this.header(name)));
    this.#isForgotten = true;
    this.#message.rawHeaders = [];
    this.#message.headers = {};
  }

  /** A client may wait for this before it sends (RFC 9110 section 10.1.1). */
  #askForBody(): void {
    if (this.header('expect')?.toLowerCase() === '100-continue') this.#response?.writeContinue();
  }

  get remoteAddress(): string {
    return this.#message.socket.remoteAddress ?? '';
  }

  get connection(): object | undefined {
    return this.#message.socket;
  }

  peerCertificate(): PeerCertificate | undefined {
    return peerCertificateOf(this.#message.socket as TLSSocket);
  }

  onClose(listener: () => void): void {
    const source = this.#response ?? this.#message.socket;
    if (source.destroyed) queueMicrotask(listener);
    else source.once('close', listener);
  }
}

/** Reads a stream to its end, never holding more than `limit` bytes and one chunk. */
function collectBody(stream: IncomingMessage, limit: number, reservation: Reservation): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new LimitedBody(limit, reservation, reject);
    let isComplete = false;
    stream.on('data', (chunk: Buffer) => body.add(chunk));
    stream.once('end', () => {
      isComplete = true;
      resolve(body.take());
    });
    // Node tells an end before the body is complete as an error, where there is a listener.
    stream.once('error', () => reject(new ClientGone(beforeEnd)));
    onBrokenBody(stream, reject);
    // Every stream closes. An error made for each, with its stack, was a hundredth of what a create costs.
    stream.once('close', () => {
      if (!isComplete) reject(new ClientGone(beforeEnd));
    });
  });
}
