/**
 * A client's way to an API server of the same process: requests pass the whole chain, authorization and audit among
 * them, without a connection and without encryption.
 */
import { InMemoryExchange } from '../../apiserver/large-requests/in-memory-exchange.ts';
import {
  ClientClosedError,
  ConnectionError,
  type Transport,
  type TransportAnswer,
  type TransportRequest,
} from '../../client/transport/message.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { ApiResponse, HeaderMap, Sink } from '../../server/exchange.ts';
import type { RunningApiServer } from '../config.ts';

/** What a watch may have waiting for its reader before the server is told to wait. */
const maxWaitingBytes = 1024 * 1024;

/** @param user who sends all requests; has been authenticated by the process */
export function createInProcessTransport({ handle }: Pick<RunningApiServer, 'handle'>, user: UserInfo): Transport {
  const open = new Set<() => void>();
  let isClosed = false;
  return {
    async send(request) {
      if (isClosed) throw new ClientClosedError();
      request.signal.throwIfAborted();
      const exchange = exchangeOf(request);
      let end: () => void = () => undefined;
      const ended = new Promise<void>((resolve) => (end = resolve));
      const close = (): void => {
        open.delete(close);
        request.signal.removeEventListener('abort', close);
        exchange.close();
        end();
      };
      open.add(close);
      request.signal.addEventListener('abort', close, { once: true });
      try {
        const response = await Promise.race([handle(exchange, { user }), ended]);
        if (response === undefined) throw failureOf(request);
        return answerOf(response, request, close, ended);
      } catch (error) {
        close();
        throw error;
      }
    },
    close() {
      isClosed = true;
      for (const end of [...open]) end();
      return Promise.resolve();
    },
  };
}

const failureOf = ({ signal }: TransportRequest): unknown =>
  signal.aborted ? signal.reason : new ConnectionError('the server of this process has ended the request');

function exchangeOf({ method, path, pathAtSend, headers, body = Buffer.alloc(0) }: TransportRequest): InMemoryExchange {
  return new InMemoryExchange({ method, target: pathAtSend?.() ?? path, headers, body });
}

function answerOf(
  response: ApiResponse,
  request: TransportRequest,
  close: () => void,
  ended: Promise<void>,
): TransportAnswer {
  return {
    status: response.status,
    headers: headersOf(response.headers),
    body: 'stream' in response ? streamed(response.stream, request, close, ended) : whole(response, close),
  };
}

function headersOf(headers: HeaderMap): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      typeof value === 'object' ? value.join(', ') : String(value),
    ]),
  );
}

type WholeResponse = Exclude<ApiResponse, { readonly stream: unknown }>;

async function* whole(response: WholeResponse, close: () => void): AsyncGenerator<Uint8Array> {
  try {
    if ('chunks' in response) yield* response.chunks;
    else if (response.body !== undefined)
      yield typeof response.body === 'string' ? Buffer.from(response.body) : response.body;
  } finally {
    close();
  }
}

/** What the server writes, as the reader takes it. */
async function* streamed(
  stream: (sink: Sink) => Promise<void>,
  request: TransportRequest,
  close: () => void,
  ended: Promise<void>,
): AsyncGenerator<Uint8Array> {
  const sink = new WaitingSink();
  void ended.then(() => sink.end());
  let failure: unknown;
  const written = stream(sink)
    .catch((error: unknown) => (failure = error))
    .finally(() => sink.finish());
  try {
    for (let chunk = await sink.next(); chunk !== undefined; chunk = await sink.next()) yield chunk;
    if (request.signal.aborted) throw request.signal.reason;
    if (failure !== undefined) throw new ConnectionError('the answer ended early', { cause: failure });
  } finally {
    close();
    await written;
  }
}

class WaitingSink implements Sink {
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isFinished = false;
  #isClosed = false;
  readonly #onClose: (() => void)[] = [];
  #wakeReader: (() => void) | undefined;
  readonly #wakeWriters: (() => void)[] = [];

  get closed(): boolean {
    return this.#isClosed;
  }

  write(chunk: Buffer): boolean {
    if (this.#isClosed) return true;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    this.#wakeReader?.();
    return this.#bytes < maxWaitingBytes;
  }

  drained(): Promise<void> {
    if (this.#isClosed || this.#bytes < maxWaitingBytes) return Promise.resolve();
    return new Promise((resolve) => this.#wakeWriters.push(resolve));
  }

  onClose(listener: () => void): void {
    if (this.#isClosed) listener();
    else this.#onClose.push(listener);
  }

  abort(): void {
    this.end();
  }

  /** The reader has gone, or takes nothing more. */
  end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#chunks = [];
    this.#bytes = 0;
    for (const listener of this.#onClose.splice(0)) listener();
    this.#wakeAll();
  }

  /** The writer has written everything. */
  finish(): void {
    this.#isFinished = true;
    this.#wakeReader?.();
  }

  /** Undefined at the end. */
  async next(): Promise<Buffer | undefined> {
    while (this.#chunks.length === 0) {
      if (this.#isFinished || this.#isClosed) return undefined;
      await new Promise<void>((resolve) => (this.#wakeReader = resolve));
      this.#wakeReader = undefined;
    }
    const chunk = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#chunks = [];
    this.#bytes = 0;
    for (const wake of this.#wakeWriters.splice(0)) wake();
    return chunk;
  }

  #wakeAll(): void {
    this.#wakeReader?.();
    for (const wake of this.#wakeWriters.splice(0)) wake();
  }
}
