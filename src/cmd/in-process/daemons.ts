/**
 * The other daemons of a control plane, in the process of its API server: they use the API as they would from outside,
 * with an administrator's rights, and without leader election, as there is one of each.
 */
import { CleanupStack } from '../../base/cleanup-stack.ts';
import type { Logger } from '../../base/logger.ts';
import { type Client, createClient } from '../../client/client.ts';
import { startControllers } from '../../controllers/manager/manager.ts';
import { controllerNames, findController } from '../../controllers/manager/controller-names.ts';
import { defaultControllerManagerOptions } from '../../controllers/manager/options.ts';
import type { RunningApiServer } from '../config.ts';
import type { DaemonOptions } from '../control-plane-types.ts';
import { createInProcessTransport } from './transport.ts';

export interface DaemonFiles {
  /** PEM file with the certificate authority of the API server. */
  readonly rootCaFile?: string;
  /** PEM file with the key that signs tokens of service accounts. */
  readonly serviceAccountKeyFile?: string;
}

/** As all that these daemons may do is decided by who started them. */
const groups = ['system:masters', 'system:authenticated'];

/** Starts what is asked for. @returns what ends all of it */
export function startDaemons(
  server: RunningApiServer,
  { controllers }: Required<DaemonOptions>,
  files: DaemonFiles,
  log: Logger,
): () => Promise<void> {
  const cleanup = new CleanupStack();
  const clientOf = (name: string, userAgent: string): Client => {
    const transport = createInProcessTransport(server, { name, groups });
    // Requests of the same process need no limit: they wait for each other on its event loop.
    const client = createClient({ url: server.url }, { transport, userAgent, qps: 0, log });
    cleanup.add(() => client.close());
    return client;
  };
  const selected = selectionOf(controllers);
  if (selected.length > 0) {
    const client = clientOf('system:kube-controller-manager', 'kube-controller-manager');
    const { generic, serviceAccountToken } = defaultControllerManagerOptions;
    const manager = startControllers({
      clientFor: () => client,
      options: {
        ...defaultControllerManagerOptions,
        generic: { ...generic, controllers: selected, rootCaFile: files.rootCaFile },
        serviceAccountToken: { ...serviceAccountToken, privateKeyFile: files.serviceAccountKeyFile },
      },
      log,
    });
    cleanup.add(() => manager.stop());
  }
  return () => cleanup.close();
}

function selectionOf(controllers: boolean | readonly string[]): readonly string[] {
  if (typeof controllers === 'boolean') return controllers ? ['*'] : [];
  for (const name of controllers) if (!isKnown(name)) throw new TypeError(unknownController(name));
  return controllers;
}

const isKnown = (item: string): boolean => item === '*' || findController(item.replace(/^-/, '')) !== undefined;

const unknownController = (name: string): string =>
  `controllers: ${JSON.stringify(name)} is not the name of a controller; there are: ${controllerNames
    .map((controller) => controller.name)
    .join(', ')}`;
