/**
 * The address of a webhook and the credentials for it, from a file in kubeconfig format. Unlike a client's, such a file
 * is read alone, and its token file is read for each request. While that cannot be read, the token from before is
 * shown.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ | kubeconfig (v1)}
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { systemClock } from '../../base/clock.ts';
import type { TransportConfig } from '../transport-config.ts';
import { fixedAuthorization, type Following, readClientPair, readServerTls } from './connection-fields.ts';
import { execCluster } from './exec-cluster.ts';
import { execCredentials } from './exec-plugin.ts';
import { type Fields, fieldsOf, KubeconfigError, text } from './fields.ts';
import { impersonationOf } from './impersonation.ts';
import { type Entry, parseKubeconfig } from './merge.ts';
import { selectContext } from './select-context.ts';
import { tokenFile } from './token-file.ts';

/** What a server shows a webhook, but for a pair that does not change. */
export type ShownCredentials = Pick<
  TransportConfig,
  'authorization' | 'renewedPair' | 'onUnauthorized' | 'observePlugin'
>;

/**
 * Paths in the file are relative to it. Rejects with {@link KubeconfigError}, or with the system's error where a file
 * cannot be read.
 */
export async function readWebhookKubeconfig(
  file: string,
  { clock = systemClock, reports }: Partial<Following> = {},
): Promise<TransportConfig> {
  const { url, cluster, user, userName } = selectContext(parseKubeconfig(await readFile(file), path.dirname(file)));
  const tls = await readServerTls(cluster);
  const { certificate, key, renewedPair } = await readClientPair(user, { clock, reports });
  const { renewedPair: printedPair, ...shown } = shownCredentials(user, execCluster(cluster.fields, tls.ca), reports);
  const changingPair = certificate === undefined ? printedPair : renewedPair;
  return {
    url,
    ...tls,
    certificate,
    key,
    ...shown,
    ...(changingPair === undefined ? {} : { renewedPair: changingPair }),
    impersonate: impersonationOf(user.fields, userName),
  };
}

/**
 * A token file is read for each request. What the user has itself comes before what its exec plugin prints. Throws
 * {@link KubeconfigError}.
 * @param cluster what an exec plugin may be told
 */
export function shownCredentials(user: Entry, cluster: Fields, reports?: Following['reports']): ShownCredentials {
  if (user.fields['auth-provider'] !== undefined)
    throw new KubeconfigError('users with auth-provider are not supported here: use exec, a certificate or a token');
  const own = ownAuthorization(user, reports);
  const exec = user.fields['exec'];
  if (exec === undefined) return { authorization: own ?? (() => Promise.resolve(undefined)) };
  const plugin = { fields: fieldsOf(exec), folder: user.folder };
  const printed = execCredentials(plugin, {
    cluster,
    environment: process.env,
    // A server has no person to ask, whatever its standard input is.
    isInteractive: false,
    now: () => Date.now(),
  });
  return own === undefined ? printed : { ...printed, authorization: own };
}

function ownAuthorization(user: Entry, reports: Following['reports']): TransportConfig['authorization'] | undefined {
  const file = text(user.fields, 'tokenFile');
  if (file !== '') return tokenFile(path.resolve(user.folder, file), { ttlMs: 0, reports }).authorization;
  const fixed = fixedAuthorization(user);
  return fixed === undefined ? undefined : () => Promise.resolve(fixed);
}
