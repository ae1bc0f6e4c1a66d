import type http from 'node:http';
import type http2 from 'node:http2';
import type { Duplex, Readable } from 'node:stream';
import type tls from 'node:tls';

export interface BackendRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Lower-case names, each with all of its values. */
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Readable | undefined;
  /** Ends the request, and the answer when it has begun. */
  readonly signal: AbortSignal;
}

export interface BackendResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly body: Readable;
}

/** The other side speaks the protocol that it was asked for. */
export interface Upgraded {
  readonly status: 101;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  readonly connection: Duplex;
}

export const pingTimeoutMs = 15_000;

export interface Session {
  readonly session: http2.ClientHttp2Session;
  streams: number;
  /** The other side takes no more requests here. */
  leaving: boolean;
  used: boolean;
}

/** One address, and what is open to it. */
export interface Place {
  protocol: 'h2' | 'http/1.1' | undefined;
  readonly dials: Set<Promise<void>>;
  readonly sessions: Set<Session>;
  readonly agent: http.Agent;
  /** The connection that told which protocol is spoken. */
  spare: tls.TLSSocket | undefined;
}

/** Nothing of an answer came, and the connection may be to blame. */
export class BrokenConnection extends Error {
  /** It had been used before: the other side may have closed it while the request was under way. */
  readonly wasUsed: boolean;
  /** The other side has certainly not begun with it. */
  readonly refused: boolean;

  constructor(cause: unknown, { wasUsed, refused }: { readonly wasUsed: boolean; readonly refused: boolean }) {
    super('the connection broke', { cause });
    this.wasUsed = wasUsed;
    this.refused = refused;
  }
}
