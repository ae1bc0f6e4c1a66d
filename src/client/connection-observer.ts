/** Told how clients come to their connections, for metrics. */
export interface ConnectionObserver {
  /** The name of a host was looked up. */
  resolved?(host: string, ms: number): void;
  /** A client got connections of its own, which other clients can share. */
  opened?(): void;
  /** A client got those that another has too. */
  shared?(): void;
  /** Connections that were opened for clients are there no longer. */
  closed?(): void;
}
