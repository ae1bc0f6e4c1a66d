/**
 * The API of the cluster that this process is a pod of, with the account of the pod.
 * @see {@link https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ | Accessing the Kubernetes API from
 *   a Pod}
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describeFileError } from '../base/file-error.ts';
import type { TransportConfig } from './transport-config.ts';

/** What a pod is told of its cluster. */
export interface Pod {
  /** `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT` count. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where `token` and `ca.crt` of its account lie. */
  readonly accountFolder: string;
}

/** As every container of a pod finds it. */
export const thisPod: Pod = {
  environment: process.env,
  accountFolder: '/var/run/secrets/kubernetes.io/serviceaccount',
};

/** Why the configuration of a pod cannot be used. */
export class InClusterConfigError extends Error {
  override readonly name = 'InClusterConfigError';
}

/**
 * The connection to the cluster's API server for access reviews. The token is read for each request: nodes renew it.
 *
 * @param version of the reviews
 * Throws {@link UserError} where there is no pod.
 *
 * @NOTE differs from upstream: without a readable certificate authority of the cluster no request is made; upstream
 *   would trust those of the system.
 */
export async function inClusterConfig({ environment, accountFolder }: Pod): Promise<TransportConfig> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  if (host === '' || port === '')
    throw new InClusterConfigError(
      'InClusterConfig is for a server that runs as a pod: KUBERNETES_SERVICE_HOST and ' +
        'KUBERNETES_SERVICE_PORT must be defined',
    );
  const read = (name: string): Promise<string> => readAccountFile(path.join(accountFolder, name));
  const authorization = async (): Promise<string> => `Bearer ${(await read('token')).trim()}`;
  // Only to say early that there is none.
  await authorization();
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    url: `https://${authority}`,
    ca: await read('ca.crt'),
    serverName: undefined,
    skipVerify: false,
    certificate: undefined,
    key: undefined,
    authorization,
  };
}

async function readAccountFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new InClusterConfigError(`InClusterConfig: open ${file}: ${describeFileError(error)}`, { cause: error });
  }
}
