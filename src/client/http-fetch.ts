/** How the client library sends requests. Node's `fetch` fits, with the address of a server in front of the path. */

export interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request, and the body of its answer. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** An answer without them is JSON. */
  readonly headers?: { get(name: string): string | null | undefined };
  readonly body: AsyncIterable<Uint8Array> | null;
}

/** @param path with its query, such as `/api/v1/pods?limit=500` */
export type HttpFetch = (path: string, request: HttpRequest) => Promise<HttpAnswer>;
