import type { DialAddress } from '../../base/dialer.ts';

/** `host:port`, as Go's `net.JoinHostPort` writes it. */
export const authorityOf = ({ host, port }: DialAddress): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;
