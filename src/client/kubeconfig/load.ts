/**
 * The configuration of a client, from where kubectl finds it:
 *
 * 1. the file that is named;
 * 2. the files of `KUBECONFIG`, merged;
 * 3. `~/.kube/config`;
 * 4. the account of the pod that this process runs in.
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { FileReports } from '../../base/file-reports.ts';
import { describeFileError } from '../../base/file-error.ts';
import type { ClientConfig } from '../client-config.ts';
import { inClusterConfig, type Pod, thisPod } from '../in-cluster.ts';
import type { ExecObserver } from '../exec-observer.ts';
import { KubeconfigError } from './fields.ts';
import { filesIn, type Kubeconfig, mergeKubeconfigs, parseKubeconfig } from './merge.ts';
import { resolveContext, type ResolveOptions } from './resolve.ts';
import { tokenFile } from './token-file.ts';
import { undefinedWhenAbsent } from '../../base/undefined-when-absent.ts';

export interface LoadOptions {
  /** A file that has to exist; the environment does not count then. */
  readonly path?: string;
  /** In place of the file's current-context. */
  readonly context?: string;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Whether exec plugins may ask a person; when absent, whether standard input is a terminal. */
  readonly isInteractive?: boolean;
  readonly clock?: Clock;
  readonly pod?: Pod;
  /** Told what exec plugins do. */
  readonly observer?: ExecObserver | undefined;
  /** Told what comes of files that the kubeconfig names, when they are read again. */
  readonly reports?: FileReports | undefined;
}

/** Rejects with {@link KubeconfigError}, which names the file. */
export async function loadKubeconfig(options: LoadOptions = {}): Promise<ClientConfig> {
  const { environment = process.env, pod = thisPod, clock = systemClock } = options;
  const list = environment['KUBECONFIG'] ?? '';
  const home = path.join(environment['HOME'] ?? homedir(), '.kube', 'config');
  const files = options.path === undefined ? (list === '' ? [home] : filesIn(list)) : [options.path];
  const found = (await Promise.all(files.map((file) => readConfig(file, options.path !== undefined)))).filter(
    (config) => config !== undefined,
  );
  if (found.length > 0) return resolveContext(mergeKubeconfigs(found), resolveOptions(options));
  if (pod.environment['KUBERNETES_SERVICE_HOST'] !== undefined) return inCluster(pod, clock);
  throw new KubeconfigError(`there is no kubeconfig: none of ${files.join(', ')} exists, and this is no pod`);
}

/** The configuration in a text, such as that of a control plane. Paths are relative to the working directory. */
export const parseClientConfig = (
  content: string,
  options: Omit<LoadOptions, 'path' | 'pod'> = {},
): Promise<ClientConfig> => resolveContext(parseKubeconfig(content, process.cwd()), resolveOptions(options));

/** The API of the cluster that this process is a pod of. The token is read again while the process runs. */
export async function inCluster(pod: Pod = thisPod, clock: Clock = systemClock): Promise<ClientConfig> {
  const config = await inClusterConfig(pod);
  const namespace = await readFile(path.join(pod.accountFolder, 'namespace'), 'utf8').catch(undefinedWhenAbsent);
  return {
    ...config,
    ...tokenFile(path.join(pod.accountFolder, 'token'), { clock }),
    namespace: namespace?.trim() || 'default',
  };
}

const resolveOptions = ({
  context,
  environment,
  isInteractive,
  clock,
  observer,
  reports,
}: LoadOptions): ResolveOptions => ({
  context,
  environment: environment ?? process.env,
  isInteractive: isInteractive ?? process.stdin.isTTY === true,
  clock: clock ?? systemClock,
  observer,
  reports,
});

async function readConfig(file: string, mustExist: boolean): Promise<Kubeconfig | undefined> {
  let content: Buffer;
  try {
    content = await readFile(file);
  } catch (error) {
    if (!mustExist && (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(`${file}: ${describeFileError(error)}`, { cause: error });
  }
  try {
    return parseKubeconfig(content, path.dirname(path.resolve(file)));
  } catch (error) {
    throw new KubeconfigError(`${file}: ${(error as Error).message}`, { cause: error });
  }
}
