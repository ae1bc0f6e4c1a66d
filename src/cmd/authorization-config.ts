/** Who decides what callers may do: what the options name, read and judged. */
import { readFile } from 'node:fs/promises';
import { type AbacRule, parseAbacPolicy } from '../apiserver/authz/abac/policy-file.ts';
import type { AuthorizationConfig, AuthorizerConfig, AuthorizerType } from '../apiserver/authz/configuration.ts';
import { type ConfiguredAuthorizer, readAuthorizationConfiguration } from '../apiserver/authz/configuration-file.ts';
import { readConnectionFile, type WebhookConnection } from '../apiserver/webhooks/connection-file.ts';
import type { WatchedFiles } from '../base/live-text.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { describeFileError, readFlagFile, watchFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

type Options = ApiServerOptions['authorization'];

/** Of the service that the flags name; the file has its own. */
const flagTimeoutMs = 30_000;

export async function authorizationConfig(options: Options, files: WatchedFiles): Promise<AuthorizationConfig> {
  if (options.config !== undefined) return configuredByFile(options.config, options, files);
  const authorizers: AuthorizerConfig[] = [];
  // One after the other, so that of several missing files it is always the same one that is named.
  for (const mode of options.modes as readonly AuthorizerType[]) authorizers.push(await authorizerOf(mode, options));
  return { authorizers };
}

async function authorizerOf(type: AuthorizerType, options: Options): Promise<AuthorizerConfig> {
  const name = type.toLowerCase();
  if (type === 'ABAC') return { type, name, rules: await abacRules(options) };
  if (type !== 'Webhook') return { type, name };
  const connection = await readConnection(options.webhookConfigFile!, '--authorization-webhook-config-file');
  const { webhookVersion: version, webhookCacheAuthorizedTtlMs: authorizedTtlMs, webhookCacheUnauthorizedTtlMs: unauthorizedTtlMs } = options;
  return { type, name, webhook: { connection, version, authorizedTtlMs, unauthorizedTtlMs, timeoutMs: flagTimeoutMs, onFailure: 'noOpinion', conditions: [] } };
}

async function abacRules({ config, policyFile }: Options): Promise<AbacRule[]> {
  if (policyFile === undefined) throw new UserError(`--authorization-config: ${config!}: authorizer ABAC needs --authorization-policy-file`);
  const text = await readFlagFile('authorization-policy-file', policyFile);
  try {
    return parseAbacPolicy(text!);
  } catch (error) {
    throw new UserError(`--authorization-policy-file: error reading policy file ${policyFile}, ${(error as Error).message}`);
  }
}

async function configuredByFile(file: string, options: Options, files: WatchedFiles): Promise<AuthorizationConfig> {
  // What becomes of a text that cannot be used is for who reads it, as it is counted.
  const text = await watchFlagFile(files, 'authorization-config', file);
  const known = new Map<AuthorizerType, AuthorizerConfig>();
  const read = async (content: string): Promise<AuthorizerConfig[]> => {
    const authorizers: AuthorizerConfig[] = [];
    for (const configured of configuredAuthorizers(content, file)) authorizers.push(await configuredAuthorizer(configured, file, options, known));
    return authorizers;
  };
  return { authorizers: await read(text.get()), file: { text, read } };
}

function configuredAuthorizers(content: string, file: string): ConfiguredAuthorizer[] {
  try {
    return readAuthorizationConfiguration(content);
  } catch (error) {
    throw new UserError(`--authorization-config: ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** @param known those that are made once: the policy of ABAC is read at the start */
async function configuredAuthorizer({ type, webhook, name }: ConfiguredAuthorizer, file: string, options: Options, known: Map<AuthorizerType, AuthorizerConfig>): Promise<AuthorizerConfig> {
  if (webhook === undefined) {
    const authorizer = known.get(type as AuthorizerType) ?? (await authorizerOf(type as AuthorizerType, options));
    known.set(authorizer.type, authorizer);
    return authorizer;
  }
  const { kubeConfigFile, ...settings } = webhook;
  const connection = kubeConfigFile === undefined ? await inClusterConnection(name, file) : await readConnection(kubeConfigFile, `--authorization-config: ${file}: authorizer ${name}`);
  return { type: 'Webhook', name, webhook: { ...settings, connection } };
}

async function readConnection(path: string, where: string): Promise<WebhookConnection> {
  try {
    return await readConnectionFile(path);
  } catch (error) {
    throw new UserError(`${where}: ${path}: ${describeFileError(error)}`, { cause: error });
  }
}

const accountFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The API of the cluster that this process is a pod of, with the account of the pod. */
async function inClusterConnection(name: string, file: string): Promise<WebhookConnection> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  if (host === undefined || port === undefined) {
    throw new UserError(`--authorization-config: ${file}: authorizer ${name}: InClusterConfig is for a server that runs as a pod: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined`);
  }
  const authority = host.includes(':') ? `[${host}]` : host;
  return {
    url: `https://${authority}:${port}/apis/authorization.k8s.io/v1/subjectaccessreviews`,
    ca: await readFile(`${accountFolder}/ca.crt`, 'utf8'), serverName: undefined, skipVerify: false, certificate: undefined, key: undefined,
    authorization: async () => `Bearer ${(await readFile(`${accountFolder}/token`, 'utf8')).trim()}`,
  };
}
