import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { FileReports } from '../../base/file-reports.ts';
import type { ClientConfig } from '../client-config.ts';

/** How long a token is taken for current, where nothing else is said. A server that refuses it ends that at once. */
const usualTtlMs = 10_000;

export interface TokenFileOptions {
  readonly clock?: Clock;
  readonly ttlMs?: number;
  readonly reports?: FileReports | undefined;
}

/**
 * A bearer token in a file that is replaced from time to time. While the file cannot be read, or is empty, the token
 * from before is shown.
 */
export function tokenFile(
  file: string,
  { clock = systemClock, ttlMs = usualTtlMs, reports }: TokenFileOptions = {},
): Required<Pick<ClientConfig, 'onUnauthorized'>> & { readonly authorization: () => Promise<string> } {
  let token: string | undefined;
  let readAt = 0;
  let isRefused = false;
  const read = async (): Promise<string> => {
    if (token !== undefined && clock.now() - readAt < ttlMs) return token;
    readAt = clock.now();
    const before = token;
    try {
      const found = await readToken(file);
      token = found;
      if (before !== undefined && (found !== before || isRefused)) reports?.taken([file]);
      isRefused = false;
      return found;
    } catch (error) {
      if (token === undefined) throw error;
      isRefused = true;
      reports?.refused([file], error);
      return token;
    }
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

async function readToken(file: string): Promise<string> {
  const token = (await readFile(file, 'utf8')).trim();
  if (token === '') throw new Error(`read empty token from file ${JSON.stringify(file)}`);
  return token;
}
