/** The authorizers that the options name, read and validated. */
import type { FileReports } from '../base/file-reports.ts';
import { type AbacRule, parseAbacPolicy } from '../apiserver/authz/abac/policy-file.ts';
import type { AuthorizationConfig, AuthorizerConfig, AuthorizerType } from '../apiserver/authz/configuration.ts';
import { type ConfiguredAuthorizer, readAuthorizationConfiguration } from '../apiserver/authz/configuration-file.ts';
import { type TransportConfig } from '../client/transport-config.ts';
import { readWebhookKubeconfig } from '../client/kubeconfig/webhook-kubeconfig.ts';
import type { ReloadableFiles } from '../base/reloadable-file.ts';
import { runCooperatively } from '../machinery/cooperative-scheduling.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { inClusterConfig, type Pod, thisPod } from '../client/in-cluster.ts';
import { describeFileError } from '../base/file-error.ts';
import { readFlagFile, watchFlagFile } from './read-file.ts';
import { UserError } from './user-error.ts';

type Options = ApiServerOptions['authorization'];

/** Of the service that the flags name; the file has its own. */
const flagTimeoutMs = 30_000;

export async function authorizationConfig(
  options: Options,
  files: ReloadableFiles,
  pod: Pod = thisPod,
): Promise<AuthorizationConfig> {
  if (options.config !== undefined) return configuredByFile(options.config, options, files, pod);
  const authorizers: AuthorizerConfig[] = [];
  // One after the other, so that of several missing files it is always the same one that is named.
  for (const mode of options.modes as readonly AuthorizerType[])
    authorizers.push(await authorizerOf(mode, options, files));
  return { authorizers };
}

async function authorizerOf(type: AuthorizerType, options: Options, reports: FileReports): Promise<AuthorizerConfig> {
  const name = type.toLowerCase();
  if (type === 'ABAC') return { type, name, rules: await abacRules(options) };
  if (type !== 'Webhook') return { type, name };
  const connection = await readConnection(options.webhookConfigFile!, '--authorization-webhook-config-file', reports);
  const {
    webhookVersion: version,
    webhookCacheAuthorizedTtlMs: authorizedTtlMs,
    webhookCacheUnauthorizedTtlMs: unauthorizedTtlMs,
  } = options;
  return {
    type,
    name,
    webhook: {
      connection,
      version,
      authorizedTtlMs,
      unauthorizedTtlMs,
      timeoutMs: flagTimeoutMs,
      onFailure: 'noOpinion',
      conditions: [],
    },
  };
}

async function abacRules({ config, policyFile }: Options): Promise<AbacRule[]> {
  if (policyFile === undefined)
    throw new UserError(`--authorization-config: ${config!}: authorizer ABAC needs --authorization-policy-file`);
  const text = await readFlagFile('authorization-policy-file', policyFile);
  try {
    return parseAbacPolicy(text!);
  } catch (error) {
    throw new UserError(
      `--authorization-policy-file: error reading policy file ${policyFile}, ${(error as Error).message}`,
    );
  }
}

async function configuredByFile(
  file: string,
  options: Options,
  files: ReloadableFiles,
  pod: Pod,
): Promise<AuthorizationConfig> {
  // The reader handles a text that cannot be used, because it counts them.
  const text = await watchFlagFile(files, 'authorization-config', file);
  const known = new Map<AuthorizerType, AuthorizerConfig>();
  const read = async (content: string): Promise<AuthorizerConfig[]> => {
    const authorizers: AuthorizerConfig[] = [];
    for (const configured of await configuredAuthorizers(content, file))
      authorizers.push(await configuredAuthorizer(configured, { file, options, known, pod, reports: files }));
    return authorizers;
  };
  return { authorizers: await read(text.get()), file: { text, read } };
}

async function configuredAuthorizers(content: string, file: string): Promise<ConfiguredAuthorizer[]> {
  try {
    return await runCooperatively(readAuthorizationConfiguration(content));
  } catch (error) {
    throw new UserError(`--authorization-config: ${file}: ${(error as Error).message}`, { cause: error });
  }
}

/** `known` are those that are made once: the policy of ABAC is read at the start. */
async function configuredAuthorizer(
  { type, webhook, name }: ConfiguredAuthorizer,
  {
    file,
    options,
    known,
    pod,
    reports,
  }: {
    readonly file: string;
    readonly options: Options;
    readonly known: Map<AuthorizerType, AuthorizerConfig>;
    readonly pod: Pod;
    readonly reports: FileReports;
  },
): Promise<AuthorizerConfig> {
  if (webhook === undefined) {
    const authorizer =
      known.get(type as AuthorizerType) ?? (await authorizerOf(type as AuthorizerType, options, reports));
    known.set(authorizer.type, authorizer);
    return authorizer;
  }
  const { kubeConfigFile, ...settings } = webhook;
  const where = `--authorization-config: ${file}: authorizer ${name}`;
  const connection =
    kubeConfigFile === undefined
      ? await podConnection(settings.version, pod, where)
      : await readConnection(kubeConfigFile, where, reports);
  return { type: 'Webhook', name, webhook: { ...settings, connection } };
}

async function readConnection(path: string, where: string, reports: FileReports): Promise<TransportConfig> {
  try {
    return await readWebhookKubeconfig(path, { reports });
  } catch (error) {
    throw new UserError(`${where}: ${path}: ${describeFileError(error)}`, { cause: error });
  }
}

async function podConnection(version: string, pod: Pod, where: string): Promise<TransportConfig> {
  try {
    const config = await inClusterConfig(pod);
    return { ...config, url: `${config.url}/apis/authorization.k8s.io/${version}/subjectaccessreviews` };
  } catch (error) {
    throw new UserError(`${where}: ${(error as Error).message}`, { cause: error });
  }
}
