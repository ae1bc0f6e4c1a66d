/** Requests that reach the chain of a server without a connection. */
import { Readable } from 'node:stream';
import { type ApiResponse, BodyTooLarge, type Exchange, type Sink } from '../../src/apiserver/request.ts';

export interface MemoryRequest {
  readonly method: string;
  readonly target: string;
  /** In order; a name can stand there several times. Names are lower case. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

export interface MemoryAnswer {
  readonly status: number;
  readonly body: Buffer;
}

export type Handle = (exchange: Exchange) => Promise<ApiResponse>;

/** Sends a request through the chain and reads the whole answer. */
export async function sendInMemory(handle: Handle, request: MemoryRequest): Promise<MemoryAnswer> {
  const exchange = new MemoryExchange(request);
  const answer = await handle(exchange);
  try {
    return { status: answer.status, body: await readAnswer(answer) };
  } finally {
    exchange.close();
  }
}

class MemoryExchange implements Exchange {
  readonly method: string;
  readonly target: string;
  readonly httpVersion = '2.0';
  readonly remoteAddress = '127.0.0.1';
  readonly connection = {};
  readonly #headers = new Map<string, string[]>();
  readonly #body: Buffer;
  readonly #listeners: (() => void)[] = [];

  constructor({ method, target, headers = [], body = Buffer.alloc(0) }: MemoryRequest) {
    this.method = method;
    this.target = target;
    this.#body = body;
    for (const [name, value] of headers) {
      const values = this.#headers.get(name);
      if (values === undefined) this.#headers.set(name, [value]);
      else values.push(value);
    }
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)?.[0];
  }

  headerValues(name: string): string[] {
    return this.#headers.get(name) ?? [];
  }

  headerNames(): string[] {
    return [...this.#headers.keys()];
  }

  readBody(limit: number): Promise<Buffer> {
    return this.#body.length > limit ? Promise.reject(new BodyTooLarge(limit)) : Promise.resolve(this.#body);
  }

  bodyStream(): Readable | undefined {
    return this.#body.length === 0 ? undefined : Readable.from([this.#body]);
  }

  peerCertificate(): undefined {
    return undefined;
  }

  onClose(listener: () => void): void {
    this.#listeners.push(listener);
  }

  close(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

async function readAnswer(answer: ApiResponse): Promise<Buffer> {
  if ('chunks' in answer) return Buffer.concat([...answer.chunks]);
  if (!('stream' in answer)) return Buffer.from('body' in answer ? (answer.body ?? '') : '');
  const chunks: Buffer[] = [];
  const sink: Sink = { write: (chunk) => chunks.push(chunk) > 0, drained: () => Promise.resolve(), closed: false, onClose: () => undefined, abort: () => undefined };
  await answer.stream(sink);
  return Buffer.concat(chunks);
}
