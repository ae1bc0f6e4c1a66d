/**
 * The authorities of client certificates and of front proxies as the API server publishes them, for daemons that know
 * their callers as it does. The config map is followed while the daemon runs.
 * @see {@link
 *   https://kubernetes.io/docs/tasks/extend-kubernetes/configure-aggregation-layer/#original-request-username-and-group
 *   | Configure the aggregation layer}
 */
import type { ConfigMap } from '../../api/gen/types/core-v1.ts';
import type { Logger } from '../../base/logger.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { Client } from '../../client/client.ts';
import { Informer } from '../../reconcile/informer.ts';

const namespace = 'kube-system';
const name = 'extension-apiserver-authentication';

export interface PublishedTrust {
  /** PEM; empty where there is none. */
  readonly clientCa: string;
  readonly requestHeader: PublishedRequestHeader | undefined;
}

export interface PublishedRequestHeader {
  /** PEM */
  readonly ca: string;
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
  readonly allowedNames: readonly string[];
}

export interface FollowedTrust {
  get(): PublishedTrust;
  onChange(listener: () => void): void;
  stop(): Promise<void>;
}

export const noTrust: PublishedTrust = { clientCa: '', requestHeader: undefined };

const timeoutMs = 10_000;

/** Rejects when the config map cannot be read now, or when it is malformed. */
export async function followTrust(client: Client, log: Logger): Promise<FollowedTrust> {
  const maps = client.core.v1.configmaps.namespace(namespace);
  const signal = AbortSignal.timeout(timeoutMs);
  let trust = await maps.get(name, { signal }).then(readTrust, (error: unknown) => {
    // A server without authorities publishes none.
    if (isNotFound(error)) return noTrust;
    throw error;
  });
  const listeners: (() => void)[] = [];
  const change = (map: ConfigMap | undefined): void => {
    try {
      trust = map === undefined ? noTrust : readTrust(map);
    } catch (error) {
      log.warn(
        { err: error, configMap: `${namespace}/${name}` },
        'published authorities cannot be read; those from before stay',
      );
      return;
    }
    for (const listener of listeners) listener();
  };
  const informer = new Informer({ source: maps.source({ fieldSelector: `metadata.name=${name}` }), log });
  informer.addHandler({
    onAdd: (map) => change(map),
    onUpdate: (_, map) => change(map),
    onDelete: () => change(undefined),
  });
  informer.start();
  return { get: () => trust, onChange: (listener) => void listeners.push(listener), stop: () => informer.stop() };
}

/** Throws for a list that is none. */
export function readTrust({ data = {} }: ConfigMap): PublishedTrust {
  const list = (key: string): readonly string[] => {
    const text = data[key];
    if (text === undefined || text === '') return [];
    const value: unknown = JSON.parse(text);
    if (!Array.isArray(value) || value.some((item) => typeof item !== 'string'))
      throw new Error(`${key} is not a list of texts`);
    return value as string[];
  };
  const ca = data['requestheader-client-ca-file'] ?? '';
  return {
    clientCa: data['client-ca-file'] ?? '',
    requestHeader:
      ca === ''
        ? undefined
        : {
            ca,
            usernameHeaders: list('requestheader-username-headers'),
            uidHeaders: list('requestheader-uid-headers'),
            groupHeaders: list('requestheader-group-headers'),
            extraHeaderPrefixes: list('requestheader-extra-headers-prefix'),
            allowedNames: list('requestheader-allowed-names'),
          },
  };
}
