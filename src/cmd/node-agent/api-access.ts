/** How an agent reaches its API server: by its kubeconfig, which TLS bootstrap writes where there is none. */
import { systemClock } from '../../base/clock.ts';
import { KubeconfigError } from '../../client/kubeconfig/fields.ts';
import { readKubeconfigFile } from '../../client/kubeconfig/reloading.ts';
import type { ClientConfig } from '../../client/client-config.ts';
import type { NodeAgentSettings } from '../../node-agent/config/settings.ts';
import { bootstrap, needsBootstrap } from '../../node-agent/node/certificates/bootstrap.ts';
import { RequestRefused } from '../../node-agent/node/certificates/signing-request.ts';
import type { KeyPair } from '../../pki/pki.ts';
import { type ApiConnection, type ConnectionParts, openConnection, userAgent } from '../daemon/api-connection.ts';
import { UserError } from '../user-error.ts';

/** @param ownPair the client certificate that the agent has renewed by itself */
export async function openAgentApi(
  settings: NodeAgentSettings,
  { signal, ownPair, ...parts }: ConnectionParts & { signal: AbortSignal; ownPair: () => KeyPair | undefined },
): Promise<ApiConnection | undefined> {
  const { kubeconfig, bootstrapKubeconfig } = settings;
  if (kubeconfig === undefined) return undefined;
  if (bootstrapKubeconfig !== undefined && needsBootstrap(await readQuietly(kubeconfig), Date.now()))
    await join(settings, { kubeconfig, bootstrapKubeconfig, ...parts, signal });
  return openConnection({ flag: 'kubeconfig', kubeconfig, ownPair }, parts);
}

interface Joining extends ConnectionParts {
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  readonly signal: AbortSignal;
}

async function join(
  { nodeName, certDir }: NodeAgentSettings,
  { log, observer, signal, ...files }: Joining,
): Promise<void> {
  const { bootstrapKubeconfig } = files;
  const source = { flag: 'bootstrap-kubeconfig', kubeconfig: bootstrapKubeconfig };
  const connection = await openConnection(source, { log, observer });
  try {
    await bootstrap({
      ...files,
      nodeName,
      certDir,
      client: connection!.client({ userAgent: userAgent('kubelet', 'bootstrap'), qps: 0 }),
      log,
      clock: systemClock,
      wallTime: Date.now,
      signal,
    });
  } catch (error) {
    if (error instanceof RequestRefused || error instanceof KubeconfigError)
      throw new UserError(`--bootstrap-kubeconfig: ${error.message}`, { cause: error });
    throw error;
  } finally {
    await connection?.close();
  }
}

/** A file that cannot be read is written anew. */
const readQuietly = async (file: string): Promise<ClientConfig | undefined> =>
  (await readKubeconfigFile(file).catch(() => undefined))?.config;
