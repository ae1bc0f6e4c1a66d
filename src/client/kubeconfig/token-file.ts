import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { ClientConfig } from '../client-config.ts';

/** How long a token is taken for current. A server that refuses it ends that at once. */
const tokenTtlMs = 10_000;

/**
 * A bearer token in a file that is replaced from time to time. While the file cannot be read, the token from before is
 * shown.
 */
export function tokenFile(
  file: string,
  clock: Clock = systemClock,
): Required<Pick<ClientConfig, 'authorization' | 'onUnauthorized'>> {
  let token: string | undefined;
  let readAt = 0;
  const read = async (): Promise<string> => {
    if (token !== undefined && clock.now() - readAt < tokenTtlMs) return token;
    readAt = clock.now();
    try {
      token = (await readFile(file, 'utf8')).trim();
    } catch (error) {
      if (token === undefined) throw error;
    }
    return token;
  };
  const authorization = async (): Promise<string> => `Bearer ${await read()}`;
  return {
    authorization,
    async onUnauthorized(shown) {
      readAt = Number.NEGATIVE_INFINITY;
      return (await authorization()) !== shown;
    },
  };
}
