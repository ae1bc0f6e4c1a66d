/**
 * Tokens of a service account in `kube-system`, asked for when they are needed and again before they end. The account
 * is made where it is missing.
 */
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Logger } from '../../base/logger.ts';
import { isAlreadyExists, isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/client.ts';
import type { ClientConfig } from '../../client/client-config.ts';

const namespace = 'kube-system';
const expirationSeconds = 3600;
/** A token is replaced when this part of its life is over. */
const renewalPart = 0.8;

export interface AccountCredentialsOptions {
  readonly log: Pick<Logger, 'debug'>;
  readonly clock?: Clock;
}

/** @param root may make accounts and ask for their tokens */
export function accountCredentials(
  root: Client,
  account: string,
  { log, clock = systemClock }: AccountCredentialsOptions,
): Required<Pick<ClientConfig, 'authorization' | 'onUnauthorized'>> {
  const accounts = root.core.v1.serviceaccounts.namespace(namespace);
  let token: { readonly text: string; readonly renewAt: number } | undefined;
  let asking: Promise<string> | undefined;

  const request = async (): Promise<string> => {
    const { status } = await accounts.token.create(account, { spec: { audiences: [], expirationSeconds } });
    if (status?.token === undefined) throw new Error(`the server gave no token for ${namespace}/${account}`);
    return status.token;
  };
  const ask = async (): Promise<string> => {
    log.debug({ account }, 'a token of a service account is asked for');
    const askedAt = clock.now();
    const text = await request().catch(async (error: unknown) => {
      if (!isNotFound(error)) throw error;
      await accounts.create({ metadata: { name: account, namespace } }).catch((problem: unknown) => {
        if (!isAlreadyExists(problem)) throw problem;
      });
      return request();
    });
    token = { text, renewAt: askedAt + expirationSeconds * 1000 * renewalPart };
    return text;
  };
  const current = async (): Promise<string> => {
    if (token !== undefined && clock.now() < token.renewAt) return token.text;
    asking ??= ask().finally(() => (asking = undefined));
    try {
      return await asking;
    } catch (error) {
      // It is good for a while, and the server may be back by then.
      if (token === undefined) throw error;
      return token.text;
    }
  };
  const authorization = async (): Promise<string> => `Bearer ${await current()}`;
  return {
    authorization,
    async onUnauthorized(shown) {
      if (token !== undefined && shown === `Bearer ${token.text}`) token = undefined;
      return (await authorization()) !== shown;
    },
  };
}
