/** How connections to other programs are opened, where they do not go straight to their address. */
import type { Duplex } from 'node:stream';

export interface DialAddress {
  /** A name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

/**
 * Opens a byte stream to an address; what is written to it reaches the program there. Rejects with what went wrong,
 * with the reason of the signal when that aborts first, and leaves nothing open then.
 */
export type Dialer = (address: DialAddress, signal: AbortSignal) => Promise<Duplex>;
