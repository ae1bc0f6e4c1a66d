/**
 * The API of the cluster that this process is a pod of, with the account of the pod.
 * @see {@link https://kubernetes.io/docs/tasks/run-application/access-api-from-pod/ | Accessing the Kubernetes API from
 *   a Pod}
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { WebhookConnection } from '../apiserver/webhooks/connection-file.ts';
import { describeFileError } from './read-file.ts';
import { UserError } from './user-error.ts';

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

/**
 * Where reviews of access are to be had. The token is read for each request: nodes renew it.
 *
 * @param version of the reviews
 * Throws {@link UserError} where there is no pod.
 *
 * @NOTE differs from upstream: without an authority of the cluster that can be read, nobody is asked; upstream would
 *   trust those of the system.
 */
export async function inClusterConnection(
  version: string,
  { environment, accountFolder }: Pod,
): Promise<WebhookConnection> {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '' } = environment;
  if (host === '' || port === '')
    throw new UserError(
      'InClusterConfig is for a server that runs as a pod: KUBERNETES_SERVICE_HOST and ' +
        'KUBERNETES_SERVICE_PORT must be defined',
    );
  const read = (name: string): Promise<string> => readAccountFile(path.join(accountFolder, name));
  const authorization = async (): Promise<string> => `Bearer ${(await read('token')).trim()}`;
  // Only to say early that there is none.
  await authorization();
  const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return {
    url: `https://${authority}/apis/authorization.k8s.io/${version}/subjectaccessreviews`,
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
    throw new UserError(`InClusterConfig: open ${file}: ${describeFileError(error)}`, { cause: error });
  }
}
