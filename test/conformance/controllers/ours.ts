/** Our controllers and our scheduler, in this process, with the options of the recorded ones. */
import { createClient, type Client, type Impersonation } from '../../../src/client/index.ts';
import { processAccount } from '../../../src/controllers/manager/controller-table.ts';
import { startControllers } from '../../../src/controllers/manager/manager.ts';
import {
  type ControllerManagerOptions,
  defaultControllerManagerOptions as defaults,
  type SignerFiles,
} from '../../../src/controllers/manager/options.ts';
import { createScheduler } from '../../../src/scheduler/scheduler.ts';
import type { ClusterFiles, Running } from './cluster-files.ts';

export async function startOurs(files: ClusterFiles): Promise<Running> {
  const clients = new Map<string, Client>();
  const clientFor = (account: string): Client => {
    const client = clients.get(account) ?? clientOf(files, account);
    clients.set(account, client);
    return client;
  };
  const lines: string[] = [];
  const note = (fields: object, message: string): void => {
    const { err, error, ...rest } = fields as { err?: unknown; error?: unknown };
    lines.push(`${message} ${JSON.stringify(rest)} ${String(err ?? error ?? '')}`);
  };
  const log = { debug: () => undefined, info: () => undefined, warn: note, error: note };
  const manager = startControllers({ clientFor, options: optionsOf(files), log });
  const scheduler = createScheduler({ client: clientFor(schedulerAccount), log });
  await scheduler.start();
  return {
    names: new Set([...manager.status().map(({ name }) => name), 'scheduler']),
    log: () => lines.join('\n'),
    async [Symbol.asyncDispose]() {
      await scheduler.stop();
      await manager.stop();
      await Promise.all([...clients.values()].map((client) => client.close()));
    },
  };
}

const schedulerAccount = 'kube-scheduler';

const clientOf = ({ url, ca, token }: ClusterFiles, account: string): Client =>
  createClient(
    { url, ca, authorization: () => Promise.resolve(`Bearer ${token}`), impersonate: userOf(account) },
    { qps: 500, burst: 1000 },
  );

/** Users that are no service accounts. */
const users: Readonly<Record<string, string>> = {
  [schedulerAccount]: 'system:kube-scheduler',
  [processAccount]: 'system:kube-controller-manager',
};

const userOf = (account: string): Impersonation =>
  users[account] === undefined
    ? {
        user: `system:serviceaccount:kube-system:${account}`,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      }
    : { user: users[account], groups: ['system:authenticated'] };

function optionsOf({ caFile, caKeyFile, serviceAccountKeyFile }: ClusterFiles): ControllerManagerOptions {
  const signer: SignerFiles = { certFile: caFile, keyFile: caKeyFile };
  return {
    ...defaults,
    generic: {
      ...defaults.generic,
      controllers: ['*', 'bootstrap-signer-controller', 'token-cleaner-controller'],
      useServiceAccountCredentials: true,
      rootCaFile: caFile,
    },
    nodeLifecycle: {
      ...defaults.nodeLifecycle,
      monitorPeriodMs: 1_000,
      monitorGracePeriodMs: 10_000,
      startupGracePeriodMs: 12_000,
    },
    serviceAccountToken: { ...defaults.serviceAccountToken, privateKeyFile: serviceAccountKeyFile },
    signing: {
      ...defaults.signing,
      signers: {
        kubeApiserverClient: signer,
        kubeletClient: signer,
        kubeletServing: signer,
        legacyUnknown: signer,
      },
    },
  };
}
