/** A server that runs already. */
export interface ServerAddress {
  readonly url: URL;
  readonly token: string | undefined;
  /** Whose CPU time and memory to account: the server's, and those of what it stands on when that shall count. */
  readonly pids: readonly number[];
  /** Path of the certificates to trust. Without one a loopback server is not verified, any other as usual. */
  readonly caFile: string | undefined;
}

/** What a server that is started records of each request. */
export const auditLevels = ['Metadata', 'Request', 'RequestResponse'] as const;
export type AuditLevel = (typeof auditLevels)[number];
