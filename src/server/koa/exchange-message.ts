import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { ClientGone, type Exchange } from '../exchange.ts';

/**
 * An exchange in the shape in which Koa asks for requests, that of Node's `IncomingMessage`. It has no socket: what
 * carries the request is none of its business. The body is asked for when it is read first.
 */
export class ExchangeMessage extends Readable {
  readonly method: string;
  url: string;
  readonly httpVersion: string;
  readonly httpVersionMajor: number;
  readonly httpVersionMinor: number;
  readonly headers: IncomingHttpHeaders;
  readonly socket: { readonly remoteAddress: string; readonly encrypted: true };
  readonly #exchange: Exchange;
  #source: Readable | undefined;

  constructor(exchange: Exchange, method: string, url: string) {
    super({ autoDestroy: false });
    // A client that leaves a request that is no longer read is no error.
    this.on('error', () => undefined);
    this.#exchange = exchange;
    this.method = method;
    this.url = url;
    this.httpVersion = exchange.httpVersion;
    this.httpVersionMajor = exchange.httpVersion === '2.0' ? 2 : 1;
    this.httpVersionMinor = exchange.httpVersion === '2.0' ? 0 : 1;
    this.headers = headersOf(exchange);
    this.socket = { remoteAddress: exchange.remoteAddress, encrypted: true };
  }

  override _read(): void {
    if (this.#source !== undefined) return void this.#source.resume();
    const source = this.#exchange.bodyStream();
    if (source === undefined) return void this.push(null);
    this.#source = source;
    let isComplete = false;
    source
      .on('data', (chunk: Buffer) => void (this.push(chunk) || source.pause()))
      .once('end', () => {
        isComplete = true;
        this.push(null);
      })
      .once('error', (error) => this.destroy(error))
      .once('close', () => void (isComplete || this.destroy(new ClientGone())));
  }

  /** As Koa's types want it. */
  asMessage(): IncomingMessage {
    return this as unknown as IncomingMessage;
  }
}

/** Holds status and headers of an answer; nothing is written to it. */
export const answerTo = (message: ExchangeMessage): ServerResponse => new ServerResponse(message.asMessage());

/** Names are the client's: there are no inherited ones that they could hide or meet. */
function headersOf(exchange: Exchange): IncomingHttpHeaders {
  const headers = Object.create(null) as IncomingHttpHeaders;
  for (const name of exchange.headerNames())
    headers[name] = exchange.headerValues(name).join(name === 'cookie' ? '; ' : ', ');
  // HTTP/2 has the host elsewhere (RFC 9113 section 8.3.1).
  headers.host ??= exchange.header(':authority') ?? '';
  return headers;
}
