/**
 * What authentication reads of a request. A port: the requests of `src/server` and of the daemons have these members,
 * and this package knows neither.
 */
import type { X509Certificate } from 'node:crypto';

export interface RequestFacts {
  /** Decoded, without the query. */
  readonly path: string;
  readonly exchange: ConnectionFacts;
  /** First value of a header; names are lower case. */
  header(name: string): string | undefined;
  /** Tells the caller of something that it should change. */
  warn(text: string): void;
}

export interface ConnectionFacts {
  /** All values of a header in order. */
  headerValues(name: string): string[];
  /** Names of all headers, lower case. */
  headerNames(): string[];
  /** The other protocol that the client asks for on this connection, lower case. */
  readonly upgrade?: string | undefined;
  /** The same object for all requests of a connection; absent when it is gone. */
  readonly connection?: object | undefined;
  /** The same object for all requests of a connection. */
  peerCertificate(): PeerCertificate | undefined;
}

export interface PeerCertificate {
  readonly certificate: X509Certificate;
  /** Those between it and an authority, as far as the client sent them. */
  readonly issuers: readonly X509Certificate[];
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** Whether, at the handshake, the chain led to any authority that this server asks for, whatever for. */
  readonly verified: boolean;
  readonly error: string | undefined;
}
