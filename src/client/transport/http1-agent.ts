/** Requests over HTTP/1.1, for servers that do not offer HTTP/2 and for URLs without TLS: by undici. */
import type { Socket } from 'node:net';
import type { Agent } from 'undici';
import type { Dialed } from './dial.ts';
import { ConnectionError, notConnected, type TransportAnswer, type TransportRequest } from './message.ts';

export class Http1Agent {
  readonly #origin: string;
  readonly #open: () => Promise<Dialed>;
  #agent: Promise<Agent> | undefined;

  /** @param open a new connection */
  constructor(origin: string, open: () => Promise<Dialed>) {
    this.#origin = origin;
    this.#open = open;
  }

  async send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportAnswer> {
    this.#agent ??= this.#createAgent();
    const agent = await this.#agent;
    try {
      const answer = await agent.request({
        origin: this.#origin,
        path,
        method,
        headers: headers.flat(),
        body: body ?? null,
        signal,
      });
      const read: Read = { bytes: 0, isWhole: false };
      return {
        status: answer.statusCode,
        headers: headerMap(answer.headers),
        body: readable(answer.body, signal, read),
        bodyBytes: () => (read.isWhole ? read.bytes : undefined),
      };
    } catch (error) {
      throw failure(error, signal);
    }
  }

  /** Ends connections once their requests have ended. */
  async retire(): Promise<void> {
    await (await this.#agent)?.close();
  }

  async destroy(): Promise<void> {
    await (await this.#agent)?.destroy();
  }

  async #createAgent(): Promise<Agent> {
    // Loaded at first use: most servers speak HTTP/2.
    const { Agent } = (await import('undici')).default;
    return new Agent({
      // Requests have time limits of their own, and a watch is silent for long.
      bodyTimeout: 0,
      headersTimeout: 0,
      pipelining: 1,
      connect: (_options, done) => {
        this.#open().then(
          ({ socket }) => done(null, socket as Socket),
          (error: unknown) => done(notConnected(error), null),
        );
      },
    });
  }
}

function headerMap(headers: Readonly<Record<string, string | string[] | undefined>>): ReadonlyMap<string, string> {
  const map = new Map<string, string>();
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) map.set(name, Array.isArray(value) ? value.join(', ') : value);
  return map;
}

/** Of a body, so far. */
interface Read {
  bytes: number;
  isWhole: boolean;
}

async function* readable(body: AsyncIterable<Uint8Array>, signal: AbortSignal, read: Read): AsyncGenerator<Uint8Array> {
  try {
    for await (const piece of body) {
      read.bytes += piece.length;
      yield piece;
    }
    read.isWhole = true;
  } catch (error) {
    throw failure(error, signal);
  }
}

function failure(error: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  if (error instanceof ConnectionError) return error;
  return new ConnectionError(error instanceof Error ? error.message : String(error), { cause: error });
}
