/** The connections of a daemon to an API server: one transport, and clients over it, each with a limit of its own. */
import { versionInfo } from '../../base/version.ts';
import { type Client, type ClientOptions, createClient } from '../../client/client.ts';
import type { ClientConfig } from '../../client/client-config.ts';
import type { ConnectionObserver } from '../../client/connection-observer.ts';
import { InClusterConfigError, type Pod, thisPod } from '../../client/in-cluster.ts';
import type { ExecObserver } from '../../client/exec-observer.ts';
import { KubeconfigError } from '../../client/kubeconfig/fields.ts';
import {
  readKubeconfigFile,
  readPodConfig,
  type ReadConfig,
  reloadingConfig,
} from '../../client/kubeconfig/reloading.ts';
import type { FileReports } from '../../base/file-reports.ts';
import type { Logger } from '../../base/logger.ts';
import type { RequestObserver } from '../../client/requests/sender.ts';
import { createApiTransport } from '../../client/transport/api-transport.ts';
import type { Transport } from '../../client/transport/message.ts';
import type { ClientPair } from '../../client/transport-config.ts';
import { UserError } from '../user-error.ts';

export interface ConnectionSource {
  /** The flag that names the file, for messages. */
  readonly flag: string;
  readonly kubeconfig: string | undefined;
  /** A URL in place of that of the file. */
  readonly master?: string | undefined;
  /** Where this process runs. */
  readonly pod?: Pod;
  /** Goes over the client certificate of the file. Undefined: there is none yet. */
  readonly ownPair?: () => ClientPair | undefined;
}

/** Of another user than the one of the daemon. */
export type Credentials = Required<Pick<ClientConfig, 'authorization' | 'onUnauthorized'>>;

export interface ApiConnection {
  readonly config: ClientConfig;
  /** A client with its own limit and user agent; closed with the connection. */
  client(options: Omit<ClientOptions, 'observer'> & { readonly credentials?: Credentials }): Client;
  close(): Promise<void>;
}

/** Told of requests, of connections and of exec plugins, for metrics. */
export type ApiObserver = RequestObserver & ConnectionObserver & ExecObserver;

export interface ConnectionParts {
  readonly log: Logger;
  readonly observer: ApiObserver;
  /** Told what comes of changes of the kubeconfig, and of the files that it names. */
  readonly reports?: FileReports | undefined;
}

/** Undefined where there is neither a file nor an address, and this is no pod. Rejects for what cannot be read. */
export async function openConnection(
  source: ConnectionSource,
  parts: ConnectionParts & { readonly fileCheckMs?: number | undefined },
): Promise<ApiConnection | undefined> {
  const { log, fileCheckMs, reports } = parts;
  const read = readerOf(source, parts);
  if (read === undefined) return undefined;
  const reloading = await explained(source.flag, () =>
    reloadingConfig(read, {
      log,
      ...(reports === undefined || source.kubeconfig === undefined
        ? {}
        : { reports: { file: source.kubeconfig, to: reports } }),
      ...(fileCheckMs === undefined ? {} : { everyMs: fileCheckMs }),
    }),
  );
  return connectionTo(withOwnPair(reloading.config, source.ownPair), parts, () => reloading.stop());
}

const withOwnPair = (config: ClientConfig, ownPair: ConnectionSource['ownPair']): ClientConfig =>
  ownPair === undefined
    ? config
    : overridden(config, { renewedPair: async () => ownPair() ?? (await config.renewedPair?.()) });

/** @param stop ends what keeps the configuration current */
export function connectionTo(
  config: ClientConfig,
  { log, observer }: ConnectionParts,
  stop = (): void => undefined,
): ApiConnection {
  for (const warning of config.warnings ?? []) log.warn({ server: config.url }, warning);
  const transport = createApiTransport(config, { observer });
  // Others must not show the certificate of the daemon: it would say who they are before their token does.
  const bare: ClientConfig = overridden(config, {
    renewedPair: () => Promise.resolve(undefined),
    impersonate: undefined,
  });
  let bareTransport: Transport | undefined;
  return {
    config,
    client({ credentials, ...options }) {
      const own = { ...options, observer };
      if (credentials === undefined || bareTransport !== undefined) observer.shared?.();
      if (credentials === undefined) return createClient(config, { ...own, transport: kept(transport) });
      bareTransport ??= createApiTransport(bare, { observer });
      return createClient(overridden(bare, credentials), { ...own, transport: kept(bareTransport) });
    },
    async close() {
      stop();
      await Promise.all([transport.close(), bareTransport?.close()]);
    },
  };
}

function readerOf(
  { kubeconfig, master, pod = thisPod }: ConnectionSource,
  { observer, reports }: Pick<ConnectionParts, 'observer' | 'reports'>,
): (() => Promise<ReadConfig>) | undefined {
  if (kubeconfig !== undefined)
    return async () => {
      const { config, fingerprint } = await readKubeconfigFile(kubeconfig, { observer, reports });
      return { config: master === undefined ? config : { ...config, url: master }, fingerprint };
    };
  if (master !== undefined) return () => Promise.resolve({ config: { url: master }, fingerprint: master });
  return pod.environment['KUBERNETES_SERVICE_HOST'] === undefined ? undefined : () => readPodConfig(pod);
}

async function explained<T>(flag: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof KubeconfigError) throw new UserError(`--${flag}: ${error.message}`, { cause: error });
    if (error instanceof InClusterConfigError) throw new UserError(error.message, { cause: error });
    throw error;
  }
}

/** Clients do not close what they share. */
const kept = (transport: Transport): Transport => ({
  send: (request) => transport.send(request),
  close: () => Promise.resolve(),
});

/** What is read at each request stays so: members are copied as they are defined. */
const overridden = (config: ClientConfig, own: Partial<ClientConfig>): ClientConfig =>
  Object.defineProperties(
    {},
    {
      ...Object.getOwnPropertyDescriptors(config),
      ...Object.getOwnPropertyDescriptors(own),
    },
  ) as ClientConfig;

/** `kube-controller-manager/v1.32.13 (linux/amd64) kubernetes/abcdef0/leader-election` */
export function userAgent(daemon: string, part?: string): string {
  const { gitVersion, platform, gitCommit } = versionInfo();
  const commit = gitCommit === '' ? '$Format' : gitCommit.slice(0, 7);
  return `${daemon}/${gitVersion} (${platform}) kubernetes/${commit}${part === undefined ? '' : `/${part}`}`;
}
