import { HttpClient } from '../http-client.ts';
import type { ServerAddress } from '../server-address.ts';

export const clientOf = (address: ServerAddress): Promise<HttpClient> =>
  HttpClient.connect({ address, accept: 'application/json', gzip: false, sessions: 1 });

/** The token's user may act as any other. */
export const as = (user: string) => [['impersonate-user', user]] as const;
