import type { Dialer } from '../base/dialer.ts';
import type { ExecObserver } from './exec-observer.ts';
import type { Impersonation } from './impersonation.ts';

/** Where a server is and how a client proves itself there: PEM texts and credentials as they are used. */
export interface TransportConfig {
  readonly url: string;
  /** How metrics call the server, where that is not the URL's host. */
  readonly host?: string;
  /** Where new connections go, instead of to the URL's host: asked for each. */
  readonly address?: () => Promise<{ readonly host: string; readonly port: number }>;
  /** Opens new connections, where they do not go straight to their address. */
  readonly dial?: Dialer | undefined;
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
  readonly skipVerify: boolean;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Certificate and key as they are now, where they change. */
  readonly renewedPair?: () => Promise<ClientPair | undefined>;
  /** Asked before each request, because token files are replaced. */
  readonly authorization: () => Promise<string | undefined>;
  /** The server answered 401 to these credentials: drops what is cached of them. */
  /** Where a plugin gives the credentials: who is told what it does. */
  readonly observePlugin?: (observer: ExecObserver) => void;
  readonly onUnauthorized?: (authorization: string | undefined) => Promise<unknown>;
  readonly impersonate?: Impersonation | undefined;
}

export interface ClientPair {
  readonly certificate: string;
  readonly key: string;
}
