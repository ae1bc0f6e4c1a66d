/** Where an API server is, and how a client authenticates to it. Files in kubeconfig format and pods yield one. */
import type { Impersonation } from './impersonation.ts';
import type { ClientPair } from './transport-config.ts';

/** What is known at once costs a request no wait. */
export type Awaitable<T> = T | Promise<T>;

export interface ClientConfig {
  /** `https://10.0.0.1:6443`, with a path where the API is below one. */
  readonly url: string;
  /** PEM. The certificate authorities of the system when absent. */
  readonly ca?: string | undefined;
  /** In place of the host of the URL, for the name in the server's certificate. */
  readonly serverName?: string | undefined;
  /** Any certificate of the server is taken. A connection can then be intercepted: for tests only. */
  readonly skipVerify?: boolean;
  /** `http:`, `https:` or `socks5:`. The environment is not consulted. */
  readonly proxyUrl?: string | undefined;
  /** PEM. */
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
  /** Certificate and key as they are now. Another pair is shown on new connections, and old ones end. */
  readonly renewedPair?: () => Awaitable<ClientPair | undefined>;
  /** The Authorization header, asked for before each request. */
  readonly authorization?: () => Awaitable<string | undefined>;
  /**
   * The server answered 401 to these credentials: drops what is cached of them. Resolves with whether a new request may
   * be sent with other ones.
   */
  readonly onUnauthorized?: (authorization: string | undefined) => Promise<boolean>;
  /**
   * Another value than before: where the server is, or how it is known, has changed. New connections are opened then,
   * and those from before end with their requests.
   */
  readonly version?: () => unknown;
  readonly impersonate?: Impersonation | undefined;
  /** Namespace of the context; for programs that need a default. */
  readonly namespace?: string | undefined;
  /** What an operator should know of the configuration, such as that certificates are not verified. */
  readonly warnings?: readonly string[];
}
