/** What this server itself asks of the servers behind APIServices: short documents, within a time and a size. */
import { timeLimit } from '../../base/time-limit.ts';
import type { UserInfo } from '../../machinery/user.ts';
import type { BackendResponse } from './backend-session.ts';
import type { Backends } from './backends.ts';
import { userHeaders } from './forwarded-headers.ts';
import type { RemoteApi } from './remote-api.ts';
import type { ServiceResolver } from '../webhooks/service-resolver.ts';

export interface FetchOptions {
  readonly backends: Backends;
  readonly resolve: ServiceResolver;
}

export interface Fetched {
  readonly status: number;
  readonly contentType: string;
  /** Of the answer, to be asked for anything newer with. */
  readonly etag: string | undefined;
  readonly body: string;
}

export interface Question {
  readonly path: string;
  readonly user: UserInfo;
  readonly accept: string;
  /** The `etag` of an earlier answer: it is answered with 304 when there is nothing newer. */
  readonly ifNoneMatch?: string | undefined;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Rejects when there is no answer in time, or a longer one. */
export type Fetch = (api: RemoteApi, question: Question) => Promise<Fetched>;

const maxBytes = 16 * 1024 * 1024;

export function createFetch({ backends, resolve }: FetchOptions): Fetch {
  return async (api, { path, user, accept, ifNoneMatch, timeoutMs, signal }) => {
    const headers = new Map<string, readonly string[]>([
      ['accept', [accept]],
      ...(ifNoneMatch === undefined ? [] : [['if-none-match', [ifNoneMatch]] as const]),
      ...userHeaders(user, false),
    ]);
    const answer = await backends.send(api, await resolve(api.service), {
      method: 'GET',
      target: path,
      headers,
      signal: AbortSignal.any([signal, timeLimit(timeoutMs)]),
    });
    return {
      status: answer.status,
      contentType: answer.headers.get('content-type')?.[0] ?? '',
      etag: answer.headers.get('etag')?.[0],
      body: await readText(answer),
    };
  };
}

async function readText({ body }: BackendResponse): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop ends the stream.
    if (size > maxBytes) throw new Error(`the answer is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
