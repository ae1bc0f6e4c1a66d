/** Requests that reach the chain of a server without a connection. */
import { InMemoryExchange } from '../../src/apiserver/large-requests/in-memory-exchange.ts';
import type { ApiResponse, Exchange, Sink } from '../../src/server/exchange.ts';

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

/** The request as a transport hands it over. */
export const memoryExchange = (
  { method, target, headers = [], body = Buffer.alloc(0) }: MemoryRequest,
  more: Partial<Pick<Exchange, 'upgrade' | 'canBecomeWebSocket'>> = {},
): Exchange & Pick<InMemoryExchange, 'close'> =>
  Object.assign(new InMemoryExchange({ method, target, headers, body }), more);

export type Handle = (exchange: Exchange) => Promise<ApiResponse>;

/** Sends a request through the chain and reads the whole answer. */
export async function sendInMemory(handle: Handle, request: MemoryRequest): Promise<MemoryAnswer> {
  const exchange = memoryExchange(request);
  const answer = await handle(exchange);
  try {
    return { status: answer.status, body: await readAnswer(answer) };
  } finally {
    exchange.close();
  }
}

async function readAnswer(answer: ApiResponse): Promise<Buffer> {
  if ('chunks' in answer) return Buffer.concat([...answer.chunks]);
  if (!('stream' in answer)) return Buffer.from('body' in answer ? (answer.body ?? '') : '');
  const chunks: Buffer[] = [];
  const sink: Sink = {
    write: (chunk) => chunks.push(chunk) > 0,
    drained: () => Promise.resolve(),
    closed: false,
    onClose: () => undefined,
    abort: () => undefined,
  };
  await answer.stream(sink);
  return Buffer.concat(chunks);
}
