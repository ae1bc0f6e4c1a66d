import { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type { ServerStream } from '../../http2/server/stream.ts';
import { type PeerCertificate } from '../../auth/request-facts.ts';
import { BodyTooLarge, ClientGone, type Exchange, TooManyBodies } from '../exchange.ts';
import { HeaderValues, keptFields } from '../header-values.ts';
import { LimitedBody } from '../limited-body.ts';
import { peerCertificateOf } from '../tls/peer-certificate.ts';

const beforeEnd = ' before its body was complete';

/**
 * One HTTP/2 stream as an exchange (RFC 9113). It cannot become another protocol's: extended CONNECT (RFC 8441) is not
 * offered, as upstream.
 */
export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly httpVersion = '2.0';
  readonly #stream: ServerStream;
  readonly #socket: TLSSocket;
  #values: HeaderValues;

  constructor(stream: ServerStream, socket: TLSSocket) {
    this.#stream = stream;
    this.#socket = socket;
    this.#values = new HeaderValues(stream.fields);
    this.method = this.header(':method')!;
    // CONNECT names a host and no path (RFC 9113 section 8.5).
    this.target = this.header(':path') ?? '';
  }

  header(name: string): string | undefined {
    return this.#values.first(name);
  }

  headerValues(name: string): string[] {
    return this.#values.all(name);
  }

  headerNames(): string[] {
    return this.#values.names().filter((name) => !name.startsWith(':'));
  }

  readBody(limit: number): Promise<Buffer> {
    if (Number(this.header('content-length') ?? 0) > limit) return Promise.reject(new BodyTooLarge(limit));
    this.#askForBody();
    return new Promise((resolve, reject) => {
      const body = new LimitedBody(limit, this.#stream.reservation, reject);
      this.#stream.read({
        onData: (piece) => body.add(piece),
        onEnd: (isComplete) => (isComplete ? resolve(body.take()) : reject(this.#brokenOff())),
      });
    });
  }

  bodyStream(): Readable | undefined {
    const stream = this.#stream;
    if (stream.endsWithHeaders) return undefined;
    this.#askForBody();
    const body = new Readable({ read: () => stream.resume() });
    stream.read({
      onData: (piece) => void (body.push(Buffer.from(piece)) || stream.pause()),
      onEnd: (isComplete) => (isComplete ? body.push(null) : body.destroy(this.#brokenOff())),
    });
    return body;
  }

  #brokenOff(): Error {
    return this.#stream.isBodyRefused ? new TooManyBodies() : new ClientGone(beforeEnd);
  }

  /** For an answer that may last: most of what was asked with is let go. */
  forgetHeaders(): void {
    this.#stream.fields = keptFields((name) => this.#values.first(name));
    this.#values = new HeaderValues(this.#stream.fields);
  }

  /** A client may wait for this before it sends (RFC 9110 section 10.1.1). */
  #askForBody(): void {
    if (this.header('expect')?.toLowerCase() === '100-continue') this.#stream.respond(100, []);
  }

  get remoteAddress(): string {
    return this.#socket.remoteAddress ?? '';
  }

  get connection(): object {
    return this.#socket;
  }

  peerCertificate(): PeerCertificate | undefined {
    return peerCertificateOf(this.#socket);
  }

  onClose(listener: () => void): void {
    this.#stream.onClose(listener);
  }
}
