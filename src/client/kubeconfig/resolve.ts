/** One context of a kubeconfig as the configuration of a client. */
import path from 'node:path';
import type { Clock } from '../../base/clock.ts';
import type { FileReports } from '../../base/file-reports.ts';
import type { ClientConfig } from '../client-config.ts';
import { proxySchemes } from '../transport/proxy-tunnel.ts';
import { fixedAuthorization, readClientPair, readServerTls } from './connection-fields.ts';
import type { ExecObserver } from '../exec-observer.ts';
import { execCredentials } from './exec-plugin.ts';
import { execCluster } from './exec-cluster.ts';
import { type Fields, fieldsOf, KubeconfigError, readPem, text } from './fields.ts';
import { impersonationOf } from './impersonation.ts';
import type { Entry, Kubeconfig } from './merge.ts';
import { selectContext } from './select-context.ts';
import { tokenFile } from './token-file.ts';

export interface ResolveOptions {
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isInteractive: boolean;
  readonly clock: Clock;
  readonly observer?: ExecObserver | undefined;
  readonly reports?: FileReports | undefined;
}

export async function resolveContext(config: Kubeconfig, options: ResolveOptions): Promise<ClientConfig> {
  const { context, cluster, userName, user, url } = selectContext(config, options.context);
  const tls = await tlsOf(cluster);
  return {
    url,
    ...tls,
    proxyUrl: proxyOf(cluster.fields),
    namespace: text(context.fields, 'namespace') || 'default',
    impersonate: impersonationOf(user.fields, userName),
    ...(await credentialsOf(user, userName, { ...options, cluster: execCluster(cluster.fields, tls.ca) })),
  };
}

async function tlsOf(cluster: Entry): Promise<Pick<ClientConfig, 'ca' | 'serverName' | 'skipVerify' | 'warnings'>> {
  const tls = await readServerTls(cluster, pem);
  if (tls.skipVerify && tls.ca !== undefined)
    throw new KubeconfigError('certificate-authority and insecure-skip-tls-verify exclude each other');
  return {
    ...tls,
    warnings: tls.skipVerify ? ['insecure-skip-tls-verify: the certificate of the server is not verified'] : [],
  };
}

function proxyOf(fields: Fields): string | undefined {
  const url = text(fields, 'proxy-url');
  if (url === '') return undefined;
  if (!URL.canParse(url) || !proxySchemes.has(new URL(url).protocol))
    throw new KubeconfigError(`proxy-url ${JSON.stringify(url)}: the scheme must be http, https or socks5`);
  return url;
}

type Credentials = Pick<ClientConfig, 'certificate' | 'key' | 'renewedPair' | 'authorization' | 'onUnauthorized'>;

async function credentialsOf(
  user: Entry,
  userName: string,
  { clock, reports, ...options }: ResolveOptions & { readonly cluster: Fields },
): Promise<Credentials> {
  const { fields, folder } = user;
  const [token, file, name] = [text(fields, 'token'), text(fields, 'tokenFile'), text(fields, 'username')];
  if ((token !== '' || file !== '') && name !== '')
    throw new KubeconfigError(`user ${JSON.stringify(userName)} has a token and a username: only one is allowed`);
  if (fields['auth-provider'] !== undefined)
    throw new KubeconfigError(`user ${JSON.stringify(userName)} has an auth-provider: use exec instead`);
  const exec = fields['exec'];
  if (exec !== undefined) {
    const plugin = { fields: fieldsOf(exec), folder };
    return execCredentials(plugin, { ...options, now: () => Date.now() });
  }
  const pair = await readClientPair(user, { clock, reports }, pem);
  if ((pair.certificate === undefined) !== (pair.key === undefined))
    throw new KubeconfigError(`user ${JSON.stringify(userName)} has only one of client-certificate and client-key`);
  if (file !== '') return { ...pair, ...tokenFile(path.resolve(folder, file), { clock, reports }) };
  const fixed = fixedAuthorization(user);
  return { ...pair, authorization: () => fixed };
}

async function pem(fields: Fields, name: string, folder: string): Promise<string | undefined> {
  try {
    return await readPem(fields, name, folder);
  } catch (error) {
    throw new KubeconfigError(`${name}: ${(error as Error).message}`, { cause: error });
  }
}
