/** A request to an API server and its answer, independent of the HTTP version. */
import type { WebSocket } from 'ws';

export interface TransportRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  /** Names in lower case. A name can occur several times. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer | undefined;
  /** In place of the path: asked for when the request is sent. What it throws is the failure of the request. */
  readonly pathAtSend?: () => string;
  /** Ends the request, and the body of its answer. */
  readonly signal: AbortSignal;
}

export interface TransportAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  /** Read once. Leaving the loop over it ends the request. */
  readonly body: AsyncIterable<Uint8Array>;
  /** Length of the body once it was read to its end, until then undefined. */
  readonly bodyBytes?: () => number | undefined;
}

/** A GET that becomes a WebSocket. */
export interface WebSocketRequest extends Pick<TransportRequest, 'path' | 'headers' | 'signal'> {
  /** Subprotocols, the preferred one first. */
  readonly protocols: readonly string[];
}

export interface Transport {
  /** Rejects with {@link ConnectionError} where there is no answer, and with the signal's reason. */
  send(request: TransportRequest): Promise<TransportAnswer>;
  /** As `send`; rejects with `StatusError` where the server refuses. Absent within a process. */
  openWebSocket?(request: WebSocketRequest): Promise<WebSocket>;
  /** Ends all connections and what is under way on them. */
  close(): Promise<void>;
}

/** No answer, or only a part of one. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  /** The server has certainly not acted on the request. */
  readonly isUnprocessed: boolean;

  constructor(message: string, options: { isUnprocessed?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.isUnprocessed = options.isUnprocessed ?? false;
  }
}

/** The client has been closed: nothing is sent any more. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError';

  constructor() {
    super('the client was closed');
  }
}

/** For requests that failed before anything was sent. */
export const notConnected = (cause: unknown): Error =>
  cause instanceof ClientClosedError
    ? cause
    : new ConnectionError(cause instanceof Error ? cause.message : String(cause), { isUnprocessed: true, cause });
