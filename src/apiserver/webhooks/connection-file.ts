/**
 * Where a webhook is and how to be known there, from a file in kubeconfig form.
 * @see {@link https://kubernetes.io/docs/reference/config-api/kubeconfig.v1/ | kubeconfig (v1)}
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';

/** PEM texts and credentials as they are used. */
export interface WebhookConnection {
  readonly url: string;
  readonly ca: string | undefined;
  readonly serverName: string | undefined;
  readonly skipVerify: boolean;
  readonly certificate: string | undefined;
  readonly key: string | undefined;
  /** Asked before each request, because token files are replaced. */
  readonly authorization: () => Promise<string | undefined>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Throws with what is missing or wrong. Paths in it are relative to the file. */
export async function readConnectionFile(file: string): Promise<WebhookConnection> {
  const config = fieldsOf(parse(await readFile(file, 'utf8')));
  const context = named(config, 'contexts', 'context', text(config, 'current-context'));
  const cluster = named(config, 'clusters', 'cluster', text(context, 'cluster'));
  const userName = text(context, 'user');
  const user = userName === '' ? {} : named(config, 'users', 'user', userName);
  const url = text(cluster, 'server');
  if (!URL.canParse(url)) throw new Error(`cluster ${JSON.stringify(text(context, 'cluster'))} has no server that is a URL`);
  for (const kind of ['exec', 'auth-provider']) if (user[kind] !== undefined) throw new Error(`users with ${kind} are not supported here: use a certificate, a token or tokenFile`);
  const pem = (fields: Fields, name: string): Promise<string | undefined> => readPem(fields, name, path.dirname(file));
  return {
    url, ca: await pem(cluster, 'certificate-authority'), serverName: text(cluster, 'tls-server-name') || undefined, skipVerify: cluster['insecure-skip-tls-verify'] === true,
    certificate: await pem(user, 'client-certificate'), key: await pem(user, 'client-key'), authorization: authorizationOf(user, path.dirname(file)),
  };
}

function authorizationOf(user: Fields, folder: string): WebhookConnection['authorization'] {
  const [token, tokenFile, name] = [text(user, 'token'), text(user, 'tokenFile'), text(user, 'username')];
  if (tokenFile !== '') return async () => `Bearer ${(await readFile(path.resolve(folder, tokenFile), 'utf8')).trim()}`;
  const fixed = token !== '' ? `Bearer ${token}` : name !== '' ? `Basic ${Buffer.from(`${name}:${text(user, 'password')}`).toString('base64')}` : undefined;
  return () => Promise.resolve(fixed);
}

/** `NAME-data` in base64 wins over the file called `NAME`. */
async function readPem(fields: Fields, name: string, folder: string): Promise<string | undefined> {
  const data = text(fields, `${name}-data`);
  if (data !== '') return Buffer.from(data, 'base64').toString();
  const file = text(fields, name);
  return file === '' ? undefined : readFile(path.resolve(folder, file), 'utf8');
}

function named(config: Fields, list: string, member: string, name: string): Fields {
  const items = config[list];
  const found = (Array.isArray(items) ? items : []).map(fieldsOf).find((item) => text(item, 'name') === name);
  if (found === undefined) throw new Error(name === '' ? 'there is no current-context' : `${member} ${JSON.stringify(name)} does not exist`);
  return fieldsOf(found[member]);
}

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {});

const text = (fields: Fields, name: string): string => {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
};
