import type { Dialer } from '../base/dialer.ts';

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
  /** Certificate and key as they are now, where both lie in files of their own. */
  readonly renewedPair?: () => Promise<ClientPair>;
  /** Asked before each request, because token files are replaced. */
  readonly authorization: () => Promise<string | undefined>;
}

export interface ClientPair {
  readonly certificate: string;
  readonly key: string;
}
