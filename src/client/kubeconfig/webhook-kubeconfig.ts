/**
 * The address of a webhook and the credentials for it, from a file in kubeconfig format.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ | kubeconfig (v1)}
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import { parseYaml } from '../../machinery/json/yaml.ts';
import { type Fields, fieldsOf, KubeconfigError, readPem, text } from './fields.ts';
import { renewedFrom } from './key-pair-files.ts';
import type { TransportConfig } from '../transport-config.ts';

export { KubeconfigError } from './fields.ts';

/**
 * Paths in the file are relative to it. Rejects with {@link KubeconfigError}, or with the system's error where a file
 * cannot be read.
 */
export async function readWebhookKubeconfig(file: string, clock: Clock = systemClock): Promise<TransportConfig> {
  const { value, problems } = parseYaml(await readFile(file));
  if (problems.length > 0) throw new KubeconfigError(problems.join(', '));
  const config = fieldsOf(value);
  const context = named(config, 'contexts', 'context', text(config, 'current-context'));
  const cluster = named(config, 'clusters', 'cluster', text(context, 'cluster'));
  const userName = text(context, 'user');
  const user = userName === '' ? {} : named(config, 'users', 'user', userName);
  const url = text(cluster, 'server');
  if (!URL.canParse(url))
    throw new KubeconfigError(`cluster ${JSON.stringify(text(context, 'cluster'))} has no server that is a URL`);
  for (const kind of ['exec', 'auth-provider'])
    if (user[kind] !== undefined)
      throw new KubeconfigError(`users with ${kind} are not supported here: use a certificate, a token or tokenFile`);
  const folder = path.dirname(file);
  const pem = (fields: Fields, name: string): Promise<string | undefined> => readPem(fields, name, folder);
  const [certificate, key] = [await pem(user, 'client-certificate'), await pem(user, 'client-key')];
  const renewedPair =
    certificate === undefined || key === undefined ? undefined : renewedFrom(user, folder, { certificate, key }, clock);
  return {
    url,
    ca: await pem(cluster, 'certificate-authority'),
    serverName: text(cluster, 'tls-server-name') || undefined,
    skipVerify: cluster['insecure-skip-tls-verify'] === true,
    certificate,
    key,
    ...(renewedPair === undefined ? {} : { renewedPair }),
    authorization: authorizationOf(user, folder),
  };
}

function authorizationOf(user: Fields, folder: string): TransportConfig['authorization'] {
  const [token, tokenFile, name] = [text(user, 'token'), text(user, 'tokenFile'), text(user, 'username')];
  if (tokenFile !== '') return async () => `Bearer ${(await readFile(path.resolve(folder, tokenFile), 'utf8')).trim()}`;
  const fixed =
    token !== ''
      ? `Bearer ${token}`
      : name !== ''
        ? `Basic ${Buffer.from(`${name}:${text(user, 'password')}`).toString('base64')}`
        : undefined;
  return () => Promise.resolve(fixed);
}

function named(config: Fields, list: string, member: string, name: string): Fields {
  const items = config[list];
  const found = (Array.isArray(items) ? items : []).map(fieldsOf).find((item) => text(item, 'name') === name);
  if (found === undefined)
    throw new KubeconfigError(
      name === '' ? 'there is no current-context' : `${member} ${JSON.stringify(name)} does not exist`,
    );
  return fieldsOf(found[member]);
}
