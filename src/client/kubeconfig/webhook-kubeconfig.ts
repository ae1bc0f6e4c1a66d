/**
 * The address of a webhook and the credentials for it, from a file in kubeconfig format. Unlike a client's, such a file
 * is read alone, runs no programs, and its token file is read for each request.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ | kubeconfig (v1)}
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { TransportConfig } from '../transport-config.ts';
import { fixedAuthorization, readClientPair, readServerTls } from './connection-fields.ts';
import { KubeconfigError, text } from './fields.ts';
import { type Entry, parseKubeconfig } from './merge.ts';
import { selectContext } from './select-context.ts';

/**
 * Paths in the file are relative to it. Rejects with {@link KubeconfigError}, or with the system's error where a file
 * cannot be read.
 */
export async function readWebhookKubeconfig(file: string, clock: Clock = systemClock): Promise<TransportConfig> {
  const { url, cluster, user } = selectContext(parseKubeconfig(await readFile(file), path.dirname(file)));
  refusePrograms(user);
  return {
    url,
    ...(await readServerTls(cluster)),
    ...(await readClientPair(user, clock)),
    authorization: authorizationOf(user),
  };
}

/** Throws {@link KubeconfigError}. */
export function refusePrograms({ fields }: Entry): void {
  for (const kind of ['exec', 'auth-provider'])
    if (fields[kind] !== undefined)
      throw new KubeconfigError(`users with ${kind} are not supported here: use a certificate, a token or tokenFile`);
}

/** A token file is read for each request. */
export function authorizationOf(user: Entry): TransportConfig['authorization'] {
  const tokenFile = text(user.fields, 'tokenFile');
  if (tokenFile !== '')
    return async () => `Bearer ${(await readFile(path.resolve(user.folder, tokenFile), 'utf8')).trim()}`;
  const fixed = fixedAuthorization(user);
  return () => Promise.resolve(fixed);
}
