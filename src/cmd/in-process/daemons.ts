/**
 * The other daemons of a control plane, in the process of its API server: they use the API as they would from outside,
 * with an administrator's rights, and without leader election, as there is one of each.
 */
import { join } from 'node:path';
import type { GateSettings } from '../../api/feature-gates.ts';
import { withCleanupStack } from '../../base/cleanup-stack.ts';
import { makeDirectories } from '../../base/make-directories.ts';
import type { Logger } from '../../base/logger.ts';
import { type Client, createClient } from '../../client/client.ts';
import { startControllers } from '../../controllers/manager/manager.ts';
import { controllerNames, findController, isControllerEnabled } from '../../controllers/manager/controller-names.ts';
import type { Pki } from '../../pki/pki.ts';
import { writePrivateFile } from '../pki/files.ts';
import { type ControllerManagerOptions, defaultControllerManagerOptions } from '../../controllers/manager/options.ts';
import type { RunningApiServer } from '../config.ts';
import type { DaemonOptions } from '../control-plane-types.ts';
import { featuresOf } from '../scheduler-features.ts';
import { createInProcessTransport } from './transport.ts';

/** Keys of the control plane, and where controllers that read files find them. */
export interface DaemonKeys {
  readonly directory: string;
  readonly pki: Pki;
}

export interface DaemonSurroundings {
  readonly keys: DaemonKeys;
  /** Of the API server, also those that guard nothing in it. */
  readonly featureGates: GateSettings;
  readonly log: Logger;
}

/** As all that these daemons may do is decided by who started them. */
const groups = ['system:masters', 'system:authenticated'];

/** Starts what is asked for. Rejects with nothing left. @returns what ends all of it */
export function startDaemons(
  server: RunningApiServer,
  { controllers = false, cloud, scheduler = false, hollowNodes = 0 }: DaemonOptions,
  { keys, featureGates, log }: DaemonSurroundings,
): Promise<() => Promise<void>> {
  return withCleanupStack(async (cleanup) => {
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
      const options = withNodeRanges(await controllerOptions(selected, featureGates, keys), cloud);
      const manager = startControllers({ clientFor: () => client, options, cloud, log });
      cleanup.add(() => manager.stop());
    }
    if (scheduler) {
      const { createScheduler } = await import('../../scheduler/scheduler.ts');
      const client = clientOf('system:kube-scheduler', 'kube-scheduler');
      const running = createScheduler({ client, features: featuresOf(featureGates), log });
      cleanup.add(() => running.stop());
      await running.start();
    }
    if (hollowNodes > 0) {
      const { createHollowNodes } = await import('../../node-agent/hollow/hollow-nodes.ts');
      const nodes = createHollowNodes({ client: clientOf('orch:hollow-nodes', 'kubelet'), count: hollowNodes, log });
      cleanup.add(() => nodes.stop());
      nodes.start();
    }
    return () => cleanup.close();
  });
}

/** Those that sign, or that publish the authority. */
const readKeys = new Set([
  'certificatesigningrequest-signing-controller',
  'root-ca-certificate-publisher-controller',
  'serviceaccount-token-controller',
]);

async function controllerOptions(
  controllers: readonly string[],
  featureGates: GateSettings,
  keys: DaemonKeys,
): Promise<ControllerManagerOptions> {
  const defaults = defaultControllerManagerOptions;
  const options = { ...defaults, generic: { ...defaults.generic, controllers, featureGates } };
  const enabled = controllerNames.filter((controller) => isControllerEnabled(controller, controllers));
  return enabled.some(({ name }) => readKeys.has(name)) ? withKeyFiles(options, keys) : options;
}

/** Routes lead to ranges of nodes. */
const withNodeRanges = (options: ControllerManagerOptions, cloud: DaemonOptions['cloud']): ControllerManagerOptions => {
  if (cloud?.routes === undefined) return options;
  const { clusterCidrs } = cloud.routes;
  return { ...options, nodeIpam: { ...options.nodeIpam, allocateNodeCidrs: true, clusterCidrs } };
};

async function withKeyFiles(
  options: ControllerManagerOptions,
  { directory, pki }: DaemonKeys,
): Promise<ControllerManagerOptions> {
  const write = async (name: string, text: string): Promise<string> => {
    const file = join(directory, name);
    await writePrivateFile(file, text);
    return file;
  };
  await makeDirectories(directory);
  const rootCaFile = await write('ca.crt', pki.ca.certificate);
  const authority = { certFile: rootCaFile, keyFile: await write('ca.key', pki.ca.key) };
  const privateKeyFile = await write('sa.key', pki.serviceAccount.privateKey);
  return {
    ...options,
    generic: { ...options.generic, rootCaFile },
    serviceAccountToken: { ...options.serviceAccountToken, privateKeyFile },
    signing: {
      ...options.signing,
      signers: {
        kubeApiserverClient: authority,
        kubeletClient: authority,
        kubeletServing: authority,
        legacyUnknown: authority,
      },
    },
  };
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
