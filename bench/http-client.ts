/**
 * HTTP/2 on `node:http2`, as far as a load driver needs it: it must cost little itself, so responses are kept as the
 * chunks in which they arrived, and windows are never full.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http2 from 'node:http2';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { gunzipSync } from 'node:zlib';
import type { ServerAddress } from './server-address.ts';

const requestTimeoutMs = 60_000;
const connectTimeoutMs = 10_000;
const streamWindow = 16 << 20;
const connectionWindow = 1 << 30;

export interface RequestOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: Buffer;
  /** Of the body. */
  readonly contentType?: string;
  readonly acceptEncoding?: string;
  /** Others, by names in lower case. */
  readonly headers?: readonly (readonly [string, string])[];
}

export class Answer {
  readonly status: number;
  readonly length: number;
  readonly #pieces: readonly Buffer[];
  readonly #gzipped: boolean;

  constructor(status: number, pieces: readonly Buffer[], gzipped: boolean) {
    this.status = status;
    this.#pieces = pieces;
    this.#gzipped = gzipped;
    this.length = pieces.reduce((length, piece) => length + piece.length, 0);
  }

  body(): Buffer {
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    return this.#gzipped ? gunzipSync(whole) : whole;
  }
}

/** An answer that is no success. */
export class HttpError extends Error {
  readonly status: number;

  constructor({ method, path }: RequestOptions, status: number, body: string) {
    super(
      `${method} ${path}: ${status} ${body
        .replace(/[^\x20-\x7e]+/g, ' ')
        .trim()
        .slice(0, 300)}`,
    );
    this.status = status;
  }
}

interface Connection {
  readonly session: ClientHttp2Session;
  open: number;
}

export interface HttpClientOptions {
  readonly address: ServerAddress;
  readonly accept: string;
  readonly gzip: boolean;
  readonly sessions: number;
}

export class HttpClient implements Disposable {
  readonly #headers: OutgoingHttpHeaders;
  readonly #tls: { readonly ca: Buffer | undefined; readonly rejectUnauthorized: boolean };
  readonly #origin: string;
  readonly #connections: Connection[] = [];
  #opening: Promise<Connection> | undefined;

  private constructor({ address, accept, gzip }: HttpClientOptions, ca: Buffer | undefined) {
    this.#origin = address.url.origin;
    this.#tls = { ca, rejectUnauthorized: ca !== undefined || !isLoopback(address.url.hostname) };
    this.#headers = {
      accept,
      'user-agent': 'orch-bench',
      ...(gzip ? { 'accept-encoding': 'gzip' } : {}),
      ...(address.token === undefined ? {} : { authorization: `Bearer ${address.token}` }),
    };
  }

  static async connect(options: HttpClientOptions): Promise<HttpClient> {
    const { caFile } = options.address;
    const client = new HttpClient(options, caFile === undefined ? undefined : await readFile(caFile));
    try {
      for (let i = 0; i < options.sessions; i++) await client.#open();
    } catch (error) {
      client[Symbol.dispose]();
      throw error;
    }
    return client;
  }

  /** The whole answer. Throws {@link HttpError} for any status but 2xx. */
  async request(options: RequestOptions): Promise<Answer> {
    const { stream, status, gzipped } = await this.#send(options);
    const pieces: Buffer[] = [];
    const answer = await new Promise<Answer>((resolve, reject) => {
      stream.on('data', (piece: Buffer) => pieces.push(piece));
      stream.on('end', () => resolve(new Answer(status, pieces, gzipped)));
      stream.on('error', reject);
      stream.on('aborted', () =>
        reject(new Error(`${options.method} ${options.path}: the answer ended in its middle`)),
      );
    });
    if (status < 200 || status > 299) throw new HttpError(options, status, answer.body().toString());
    return answer;
  }

  /** An answer that goes on until the stream is closed, once its status is 200. */
  async stream(options: RequestOptions): Promise<ClientHttp2Stream> {
    const { stream, status } = await this.#send({ ...options, acceptEncoding: 'identity' });
    stream.setTimeout(0);
    stream.on('error', () => undefined); // the reader learns of it by 'close'
    if (status === 200) return stream;
    stream.close();
    throw new HttpError(options, status, '');
  }

  [Symbol.dispose](): void {
    for (const { session } of this.#connections) session.destroy();
  }

  async #send({
    method,
    path,
    body,
    contentType,
    acceptEncoding,
    headers: others = [],
  }: RequestOptions): Promise<{ stream: ClientHttp2Stream; status: number; gzipped: boolean }> {
    const connection = this.#free() ?? (await this.#more());
    connection.open++;
    const headers: OutgoingHttpHeaders = { ...this.#headers, ':method': method, ':path': path };
    for (const [name, value] of others) headers[name] = [...[headers[name] ?? []].flat(), value] as string[];
    if (contentType !== undefined) headers['content-type'] = contentType;
    if (body !== undefined) headers['content-length'] = body.length;
    if (acceptEncoding !== undefined) headers['accept-encoding'] = acceptEncoding;
    const stream = connection.session.request(headers, { endStream: body === undefined });
    stream.on('close', () => connection.open--);
    if (body !== undefined) stream.end(body);
    return new Promise((resolve, reject) => {
      stream.setTimeout(requestTimeoutMs, () =>
        stream.destroy(new Error(`${method} ${path}: nothing came for ${requestTimeoutMs / 1000} s`)),
      );
      stream.on('response', (response) =>
        resolve({ stream, status: Number(response[':status']), gzipped: response['content-encoding'] === 'gzip' }),
      );
      stream.on('error', reject);
      stream.on('close', () => reject(new Error(`${method} ${path}: closed without an answer`)));
    });
  }

  /** The connection with the fewest streams, when it may have another one. */
  #free(): Connection | undefined {
    let best: Connection | undefined;
    for (const connection of this.#connections)
      if (best === undefined || connection.open < best.open) best = connection;
    return best !== undefined && best.open < (best.session.remoteSettings.maxConcurrentStreams ?? Infinity)
      ? best
      : undefined;
  }

  /** In a loop, because a new connection may be full before this request gets it. */
  async #more(): Promise<Connection> {
    for (;;) {
      await (this.#opening ??= this.#open().finally(() => (this.#opening = undefined)));
      const connection = this.#free();
      if (connection !== undefined) return connection;
    }
  }

  async #open(): Promise<Connection> {
    const session = http2.connect(this.#origin, {
      ...this.#tls,
      maxSessionMemory: 2_000,
      maxSendHeaderBlockLength: 4_000_000,
      settings: { enablePush: false, initialWindowSize: streamWindow },
    });
    session.setTimeout(connectTimeoutMs, () =>
      session.destroy(new Error(`no answer within ${connectTimeoutMs / 1000} s`)),
    );
    try {
      const closed = once(session, 'close').then(() => Promise.reject(new Error('it closes the connection')));
      await Promise.race([once(session, 'remoteSettings'), closed]);
    } catch (error) {
      throw new Error(
        `cannot connect to ${this.#origin} by HTTP/2: ${error instanceof Error ? error.message.trim() : String(error)}`,
        { cause: error },
      );
    }
    session.setTimeout(0);
    session.setLocalWindowSize(connectionWindow);
    const connection = { session, open: 0 };
    session.on('error', () => undefined); // its streams fail with it
    session.on('close', () => this.#connections.splice(this.#connections.indexOf(connection), 1));
    this.#connections.push(connection);
    return connection;
  }
}

/** `hostname` as URLs have it. */
const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d+){3}$/.test(hostname);
