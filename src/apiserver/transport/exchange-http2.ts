import type { IncomingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { BodyTooLarge, type Exchange, type PeerCertificate } from '../request.ts';
import { peerCertificateOf } from './peer-certificate.ts';

/** One HTTP/2 stream as an exchange (RFC 9113). It cannot become another protocol's: extended CONNECT (RFC 8441) is not offered, as upstream. Works on the stream itself: Node's compatibility layer costs a third more. */
export class Http2Exchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly httpVersion = '2.0';
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #raw: readonly string[];

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, raw: readonly string[]) {
    this.#stream = stream;
    this.#headers = headers;
    this.#raw = raw;
    this.method = headers[':method'] as string;
    // CONNECT names a host and no path (RFC 9113 section 8.5).
    this.target = headers[':path'] ?? '';
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  headerValues(name: string): string[] {
    const values: string[] = [];
    for (let i = 0; i < this.#raw.length; i += 2) if (this.#raw[i]!.toLowerCase() === name) values.push(this.#raw[i + 1]!);
    return values;
  }

  headerNames(): string[] {
    return Object.keys(this.#headers).filter((name) => !name.startsWith(':'));
  }

  readBody(limit: number): Promise<Buffer> {
    const announced = Number(this.header('content-length') ?? 0);
    if (announced > limit) return Promise.reject(new BodyTooLarge(limit));
    return collectBody(this.#stream, limit);
  }

  bodyStream(): Readable | undefined {
    return this.#stream.endAfterHeaders ? undefined : this.#stream;
  }

  get remoteAddress(): string {
    return this.#stream.session?.socket.remoteAddress ?? '';
  }

  get connection(): object | undefined {
    return this.#stream.session;
  }

  peerCertificate(): PeerCertificate | undefined {
    const session = this.#stream.session;
    return session === undefined ? undefined : peerCertificateOf(session.socket as TLSSocket);
  }

  onClose(listener: () => void): void {
    if (this.#stream.closed || this.#stream.destroyed) queueMicrotask(listener);
    else this.#stream.once('close', listener);
  }
}

/** Reads a stream to its end, never holding more than `limit` bytes and one chunk. */
export function collectBody(stream: NodeJS.ReadableStream, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isComplete = false;
    stream.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(new BodyTooLarge(limit));
      }
    });
    stream.once('end', () => {
      isComplete = true;
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size > limit ? 0 : size));
    });
    stream.once('error', reject);
    // Every stream closes. An error made for each, with its stack, was a hundredth of what a create costs.
    stream.once('close', () => {
      if (!isComplete) reject(new Error('the client closed the request before its body was complete'));
    });
  });
}
