import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Readable } from 'node:stream';
import type { Reservation } from '../../base/memory-quota.ts';
import { BodyTooLarge, ClientGone, type Exchange, type TooManyBodies } from '../exchange.ts';
import { HeaderValues } from '../header-values.ts';
import { LimitedBody } from '../limited-body.ts';

export type NodeRequest = IncomingMessage | Http2ServerRequest;
export type NodeResponse = ServerResponse | Http2ServerResponse;

/**
 * A request that another program's server took, over either version of HTTP. Its TLS is that program's as well: the
 * certificate of the client was judged by the authorities of that program, and says nothing here.
 */
export class MountedExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly httpVersion: '1.1' | '2.0';
  readonly #request: NodeRequest;
  readonly #response: NodeResponse;
  readonly #reservation: Reservation;
  readonly #values: HeaderValues;

  /** @param target as it is below the place where the exchange is mounted */
  constructor(request: NodeRequest, response: NodeResponse, target: string, reservation: Reservation) {
    this.method = request.method ?? 'GET';
    this.target = target;
    this.httpVersion = request.httpVersionMajor >= 2 ? '2.0' : '1.1';
    this.#request = request;
    this.#response = response;
    this.#reservation = reservation;
    this.#values = new HeaderValues(request.rawHeaders.map((text, i) => (i % 2 === 0 ? text.toLowerCase() : text)));
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

  async readBody(limit: number): Promise<Buffer> {
    if (Number(this.header('content-length') ?? 0) > limit) throw new BodyTooLarge(limit);
    const source = this.bodyStream();
    if (source === undefined) return Buffer.alloc(0);
    let refusal: BodyTooLarge | TooManyBodies | undefined;
    const body = new LimitedBody(limit, this.#reservation, (error) => (refusal = error));
    try {
      // A body that is refused is left to the server, which drops the rest behind the answer.
      for await (const piece of source.iterator({ destroyOnReturn: false })) {
        body.add(piece as Buffer);
        if (refusal !== undefined) break;
      }
    } catch {
      throw new ClientGone(' before its body was complete');
    }
    if (refusal !== undefined) throw refusal;
    return body.take();
  }

  bodyStream(): Readable | undefined {
    if (!this.#hasBody()) return undefined;
    if (this.#request.readableDidRead)
      throw new Error('the body was read before: the control plane is to be mounted in front of what parses bodies');
    return this.#request;
  }

  #hasBody(): boolean {
    if ('stream' in this.#request) return !this.#request.stream.endAfterHeaders;
    return this.header('transfer-encoding') !== undefined || Number(this.header('content-length') ?? 0) > 0;
  }

  get remoteAddress(): string {
    return this.#request.socket.remoteAddress ?? '';
  }

  get connection(): object {
    // Over HTTP/2 the socket is another proxy for each request.
    return 'stream' in this.#request ? (this.#request.stream.session ?? this.#request) : this.#request.socket;
  }

  peerCertificate(): undefined {
    return undefined;
  }

  onClose(listener: () => void): void {
    if (isClosed(this.#response)) queueMicrotask(listener);
    else this.#response.once('close', listener);
  }
}

export const isClosed = (response: NodeResponse): boolean =>
  'stream' in response ? (response.stream?.destroyed ?? true) : response.destroyed;

/** Ends an answer that has begun so that its client sees that it is not whole. */
export function breakOff(response: NodeResponse): void {
  if ('stream' in response) response.stream?.close(internalError);
  else response.destroy();
}

/** RFC 9113 section 7 */
const internalError = 2;
