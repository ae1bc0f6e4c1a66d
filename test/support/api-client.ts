/** Requests as they are, with an administrator's credentials: nothing checks, mends or repeats them on the way. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import https from 'node:https';

export interface ApiRequestOptions {
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Without it a request waits for its answer as long as it takes. */
  readonly signal?: AbortSignal;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
  /** The body as JSON. */
  readonly object: ApiObject;
}

export interface ApiObject {
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly uid?: string;
    readonly resourceVersion?: string;
    readonly continue?: string;
    readonly labels?: Record<string, string>;
  };
  readonly [member: string]: unknown;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: ApiObject;
}

export const versionOf = ({ object }: Pick<WatchEvent, 'object'>): number => Number(object.metadata?.resourceVersion);

/** What a kubeconfig with certificates inside says, for TLS. */
export function credentials(kubeconfig: string): {
  ca: Buffer | undefined;
  cert: Buffer | undefined;
  key: Buffer | undefined;
} {
  const data = (name: string): Buffer | undefined => {
    const found = new RegExp(`${name}: (\\S+)`).exec(kubeconfig)?.[1];
    return found === undefined ? undefined : Buffer.from(found, 'base64');
  };
  return {
    ca: data('certificate-authority-data'),
    cert: data('client-certificate-data'),
    key: data('client-key-data'),
  };
}

export class ApiClient implements Disposable {
  readonly #agent: https.Agent;
  readonly #port: number;
  readonly #headers: Readonly<Record<string, string>>;

  /**
   * @param server the text of a kubeconfig with certificates inside, or a token for a server whose certificate is
   *   self-signed
   */
  constructor(server: string | { readonly port: number; readonly token: string }) {
    if (typeof server !== 'string') {
      this.#port = server.port;
      this.#headers = { authorization: `Bearer ${server.token}` };
      this.#agent = new https.Agent({ keepAlive: true, maxSockets: 64, rejectUnauthorized: false });
      return;
    }
    const kubeconfig = server;
    this.#headers = {};
    this.#port = Number(/server: "?https:\/\/[^:]+:(\d+)/.exec(kubeconfig)![1]);
    this.#agent = new https.Agent({
      keepAlive: true,
      maxSockets: 64,
      ...credentials(kubeconfig),
      servername: 'localhost',
    });
  }

  /** Rejects when no answer comes. */
  send(
    method: string,
    path: string,
    body?: string | Buffer | object,
    { contentType = 'application/json', headers = {}, signal }: ApiRequestOptions = {},
  ): Promise<ApiAnswer> {
    const bytes =
      body === undefined
        ? undefined
        : Buffer.isBuffer(body)
          ? body
          : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const request = this.#open(
        method,
        path,
        {
          ...(bytes === undefined ? {} : { 'content-type': contentType, 'content-length': String(bytes.length) }),
          ...headers,
        },
        signal,
      );
      request
        .once('error', reject)
        .once('response', (message: IncomingMessage) => void collect(message).then(resolve, reject));
      request.end(bytes);
    });
  }

  /** A GET of a collection with `watch`; resolves when the stream begins. */
  watch(path: string): Promise<WatchStream> {
    return new Promise((resolve, reject) => {
      const request = this.#open('GET', path, {});
      request.once('error', reject).once('response', (message: IncomingMessage) => {
        if (message.statusCode === 200) return resolve(new WatchStream(request, message));
        void collect(message).then(
          ({ status, body }) => reject(new Error(`the watch was answered ${status}: ${body.toString()}`)),
          reject,
        );
      });
      request.end();
    });
  }

  #open(method: string, path: string, headers: Readonly<Record<string, string>>, signal?: AbortSignal): ClientRequest {
    return https.request({
      agent: this.#agent,
      host: '127.0.0.1',
      port: this.#port,
      method,
      path,
      headers: { ...this.#headers, ...headers },
      ...(signal === undefined ? {} : { signal }),
    });
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }
}

async function collect(message: IncomingMessage): Promise<ApiAnswer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  return {
    status: message.statusCode ?? 0,
    headers: message.headers,
    body,
    get object() {
      return JSON.parse(body.toString()) as ApiObject;
    },
  };
}

/** The events of one watch, as they come. */
export class WatchStream {
  readonly events: WatchEvent[] = [];
  /** Resolves when the server ended the stream, or the connection was lost. */
  readonly ended: Promise<void>;
  readonly #request: ClientRequest;
  #hasEnded = false;
  #heard: () => void = () => {};

  constructor(request: ClientRequest, message: IncomingMessage) {
    this.#request = request;
    let rest = '';
    message.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop()!;
      this.events.push(...lines.map((line) => JSON.parse(line) as WatchEvent));
      this.#heard();
    });
    message.once('error', () => undefined);
    request.on('error', () => undefined);
    this.ended = new Promise((resolve) =>
      message.once('close', () => {
        this.#hasEnded = true;
        this.#heard();
        resolve();
      }),
    );
  }

  /** Throws when the stream ends before. */
  async until(isEnough: (events: readonly WatchEvent[]) => boolean): Promise<readonly WatchEvent[]> {
    while (!isEnough(this.events)) {
      if (this.#hasEnded) throw new Error(`the watch ended after ${this.events.length} events`);
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
    return this.events;
  }

  close(): void {
    this.#request.destroy();
  }
}
