/** The configuration of admission plugins: the document that the option names, and the files that it names. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type PluginEntry,
  readAdmissionConfiguration,
} from '../apiserver/admission/configuration/admission-configuration.ts';
import type { PluginConfiguration } from '../apiserver/admission/configuration/plugin-configuration.ts';
import {
  readEventRateLimit,
  readImagePolicy,
  readPodNodeSelector,
  readPodTolerationRestriction,
  readResourceQuotaConfiguration,
  readWebhookAdmission,
} from '../apiserver/admission/configuration/plugin-documents.ts';
import { readPodSecurity } from '../apiserver/admission/configuration/pod-security-document.ts';
import { runningPlugins } from '../apiserver/admission/plugin-names.ts';
import { describeFileError } from '../base/file-error.ts';
import type { Logger } from '../base/logger.ts';
import { goQuote } from '../machinery/go-quote.ts';
import { type Kubeconfig, parseKubeconfig } from '../client/kubeconfig/merge.ts';
import { readWebhookKubeconfig } from '../client/kubeconfig/webhook-kubeconfig.ts';
import type { ApiServerOptions } from './flags/api-server/table.ts';
import { UserError } from './user-error.ts';

type Read = (text: string | undefined) => PluginConfiguration | Promise<PluginConfiguration>;

/** For a plugin that does without. */
const optional =
  (read: (text: string) => PluginConfiguration | Promise<PluginConfiguration>): Read =>
  (text) =>
    text === undefined ? {} : read(text);

const readers: Readonly<Record<string, Read>> = {
  ImagePolicyWebhook: async (text) => {
    const imagePolicy = readImagePolicy(text);
    const kubeConfigFile = path.resolve(imagePolicy.kubeConfigFile);
    await kubeconfigFrom(kubeConfigFile, () => readWebhookKubeconfig(kubeConfigFile));
    return { imagePolicy: { ...imagePolicy, kubeConfigFile } };
  },
  PodSecurity: optional((text) => ({ podSecurity: readPodSecurity(text) })),
  PodNodeSelector: optional((text) => ({ podNodeSelector: readPodNodeSelector(text) })),
  PodTolerationRestriction: optional((text) => ({ podTolerationRestriction: readPodTolerationRestriction(text) })),
  EventRateLimit: (text) => ({ eventRateLimit: readEventRateLimit(text) }),
  MutatingAdmissionWebhook: optional(async (text) => ({ mutatingWebhookKubeconfig: await webhookKubeconfig(text) })),
  ValidatingAdmissionWebhook: optional(async (text) => ({
    validatingWebhookKubeconfig: await webhookKubeconfig(text),
  })),
  ResourceQuota: optional((text) => ({ resourceQuota: readResourceQuotaConfiguration(text) })),
};

/** Rejects with {@link UserError}: what cannot be used is told with the file and the reason. */
export async function readAdmissionConfig(
  { configFile: file, enablePlugins: enable, disablePlugins: disable }: ApiServerOptions['admission'],
  log: Logger,
): Promise<PluginConfiguration> {
  const running = runningPlugins({ enable, disable });
  const entries = file === undefined ? [] : await readEntries(file);
  for (const { name } of entries) {
    if (!running.has(name)) log.warn({ plugin: name }, 'an admission plugin is configured that does not run');
    else if (readers[name] === undefined)
      log.warn({ plugin: name }, 'an admission plugin is configured that has nothing to configure');
  }
  let configuration: PluginConfiguration = {};
  // One after the other, so that of several that are wrong it is always the same one that is named.
  for (const [name, read] of Object.entries(readers).filter(([candidate]) => running.has(candidate))) {
    const entry = entries.find((candidate) => candidate.name === name);
    configuration = { ...configuration, ...(await readPlugin(name, read, entry, file)) };
  }
  return configuration;
}

async function readEntries(file: string): Promise<readonly PluginEntry[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const reason = `open ${file}: ${describeFileError(error)}`;
    throw unusable(
      `failed to read plugin config: unable to read admission control configuration from "${file}" [${reason}]`,
      error,
    );
  }
  try {
    return readAdmissionConfiguration(text, file);
  } catch (error) {
    throw unusable(`failed to read plugin config: ${(error as Error).message} (in ${file})`, error);
  }
}

async function readPlugin(
  name: string,
  read: Read,
  entry: PluginEntry | undefined,
  file: string | undefined,
): Promise<PluginConfiguration> {
  const own = entry?.path === undefined ? undefined : path.resolve(path.dirname(file!), entry.path);
  const text = own === undefined ? entry?.configuration : await readPluginFile(own);
  try {
    return await read(text);
  } catch (error) {
    const place = own ?? (text === undefined ? undefined : file);
    const where = place === undefined ? '' : ` (in ${place})`;
    throw unusable(`couldn't init admission plugin ${goQuote(name)}: ${(error as Error).message}${where}`, error);
  }
}

async function readPluginFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { errno = 0 } = error as NodeJS.ErrnoException;
    const shown = `&fs.PathError{Op:"open", Path:${goQuote(file)}, Err:0x${(-errno).toString(16)}}`;
    const text = `Couldn't open admission plugin configuration ${file}: ${shown} (${describeFileError(error)})`;
    throw new UserError(`--admission-control-config-file: ${text}`, { cause: error });
  }
}

async function webhookKubeconfig(text: string): Promise<Kubeconfig> {
  const file = readWebhookAdmission(text);
  return kubeconfigFrom(file, async () => parseKubeconfig(await readFile(file), path.dirname(file)));
}

async function kubeconfigFrom<T>(file: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException;
    if (code === undefined || syscall === undefined)
      throw new Error(`${file}: ${(error as Error).message}`, { cause: error });
    throw new Error(`stat ${file}: ${describeFileError(error)}`, { cause: error });
  }
}

const unusable = (text: string, cause: unknown): UserError =>
  new UserError(`--admission-control-config-file: failed to apply admission: ${text}`, { cause });
