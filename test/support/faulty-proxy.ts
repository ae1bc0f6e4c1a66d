/**
 * A way to an API server on which things go wrong as the test wants them to: answers of 429 and 500, connections that
 * break, watches that are silent, lists from a cache that stands still. HTTP/2 and HTTP/1.1, as the client likes.
 */
import http2, { type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import https from 'node:https';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { caSubject, createAuthority, createServing } from '../../src/pki/pki.ts';

export interface SeenRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly isWatch: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

export type Fault =
  | Refusal
  /** The stream or connection breaks before the request reaches the server. */
  | 'break'
  /** The same once the server has acted on the request: its answer is lost. */
  | 'lose answer'
  /** The request is taken, and nothing ever comes. */
  | 'silence';

export interface FaultyProxyOptions {
  /** Of the API server; another one can take its place. */
  readonly target: () => Pick<URL, 'hostname' | 'port'>;
  /** Without HTTP/2. */
  readonly http1?: boolean;
}

const hopHeaders = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host', 'proxy-connection']);

export class FaultyProxy implements AsyncDisposable {
  readonly #server: http2.Http2SecureServer | https.Server;
  readonly #options: FaultyProxyOptions;
  readonly #agent = new https.Agent({ keepAlive: true, rejectUnauthorized: false });
  readonly #sockets = new Set<Socket>();
  readonly #watches = new Set<() => void>();
  readonly #cached = new Map<string, { headers: IncomingHttpHeaders; body: Buffer }>();
  /** PEM of the authority that the proxy's certificate is from. */
  readonly ca: string;
  readonly requests: SeenRequest[] = [];
  /** What goes wrong with a request; nothing when it returns undefined. */
  fault: (request: SeenRequest) => Fault | undefined = () => undefined;
  /** Watches that have something to tell stay open from then on, and nothing comes by them. */
  isMute: (path: string) => boolean = () => false;
  /** Which lists are answered with what the first list of the same path was answered with. */
  standsStill: (path: string) => boolean = () => false;

  private constructor(options: FaultyProxyOptions) {
    this.#options = options;
    const now = new Date();
    const authority = createAuthority(caSubject, now);
    const { certificate, key } = createServing(authority, { dnsNames: [], ipAddresses: ['127.0.0.1'] }, now);
    this.ca = authority.certificate;
    const handle = (request: Http2ServerRequest, response: Http2ServerResponse): void =>
      void this.#handle(request, response);
    this.#server =
      options.http1 === true
        ? https.createServer({ cert: certificate, key }, handle as never)
        : http2.createSecureServer({ cert: certificate, key, allowHTTP1: true }, handle);
    this.#server.on('secureConnection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.on('error', () => undefined);
    });
    this.#server.on('sessionError', () => undefined);
  }

  static async start(options: FaultyProxyOptions): Promise<FaultyProxy> {
    const proxy = new FaultyProxy(options);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  /** How many requests there were that this is true of. */
  count(isMeant: (request: SeenRequest) => boolean): number {
    return this.requests.filter(isMeant).length;
  }

  /** The next list of each path is the first one. */
  forgetLists(): void {
    this.#cached.clear();
  }

  /** Ends all watches that are open, in the middle. */
  dropWatches(): void {
    for (const drop of [...this.#watches]) drop();
  }

  /** Resets every connection of clients. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#agent.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #handle(request: Http2ServerRequest, response: Http2ServerResponse): Promise<void> {
    const path = request.url;
    const isWatch = /[?&]watch=(true|1)/.test(path);
    const seen = { method: request.method, path, isWatch };
    this.requests.push(seen);
    request.on('error', () => undefined);
    response.on('error', () => undefined);
    const fault = this.fault(seen);
    if (fault === 'silence') return;
    if (fault === 'break') return breakOff(response);
    const body = await bodyOf(request);
    if (body === undefined) return;
    if (fault !== undefined && typeof fault === 'object') return refuse(response, fault);
    const cacheKey = `${path.replace(/[?&](resourceVersion|limit)=[^&]*/g, '')} ${request.headers.accept ?? ''}`;
    const isStill = request.method === 'GET' && !isWatch && this.standsStill(path);
    const cached = isStill ? this.#cached.get(cacheKey) : undefined;
    if (cached !== undefined) {
      response.writeHead(200, endToEnd(cached.headers));
      return void response.end(cached.body);
    }
    const answer = await this.#forward(request, body, response).catch(() => undefined);
    if (answer === undefined || fault === 'lose answer') return breakOff(response);
    if (isWatch && answer.statusCode === 200) return this.#relay(path, answer, response);
    const whole = await bodyOf(answer);
    if (whole === undefined) return breakOff(response);
    if (request.method === 'GET' && answer.statusCode === 200 && !this.#cached.has(cacheKey))
      this.#cached.set(cacheKey, { headers: answer.headers, body: whole });
    response.writeHead(answer.statusCode!, endToEnd(answer.headers));
    response.end(whole);
  }

  #forward(request: Http2ServerRequest, body: Buffer, response: Http2ServerResponse): Promise<IncomingMessage> {
    const { hostname, port } = this.#options.target();
    return new Promise((resolve, reject) => {
      const forwarded = https.request(
        {
          ...{ host: hostname, port, method: request.method, path: request.url, agent: this.#agent },
          headers: { ...endToEnd(request.headers), 'accept-encoding': 'identity', 'content-length': body.length },
        },
        resolve,
      );
      forwarded.on('error', reject);
      response.on('close', () => forwarded.destroy());
      forwarded.end(body);
    });
  }

  #relay(path: string, answer: IncomingMessage, response: Http2ServerResponse): void {
    const end = (): void => {
      this.#watches.delete(end);
      answer.destroy();
      breakOff(response);
    };
    this.#watches.add(end);
    response.writeHead(200, endToEnd(answer.headers));
    if ('flushHeaders' in response) (response as unknown as ServerResponse).flushHeaders();
    let isSilent = false;
    answer.on('data', (chunk: Buffer) => {
      // For good: no connection loses something in the middle.
      isSilent ||= this.isMute(path);
      if (!isSilent) response.write(chunk);
    });
    answer.on('end', () => {
      this.#watches.delete(end);
      response.end();
    });
    answer.on('error', end);
    response.on('close', () => {
      this.#watches.delete(end);
      answer.destroy();
    });
  }
}

function refuse(response: Http2ServerResponse, { status, headers = {}, body }: Refusal): void {
  const answer = body ?? { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: status };
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(answer));
}

function breakOff(response: Http2ServerResponse): void {
  const { stream, socket } = response as Partial<Http2ServerResponse>;
  if (stream === undefined) socket?.destroy();
  else stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR);
}

const endToEnd = (headers: IncomingHttpHeaders): Record<string, string | string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      (entry): entry is [string, string | string[]] =>
        entry[1] !== undefined && !entry[0].startsWith(':') && !hopHeaders.has(entry[0]),
    ),
  );

/** Undefined when it does not come to its end. */
async function bodyOf(message: AsyncIterable<Buffer>): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message) chunks.push(chunk);
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks);
}
