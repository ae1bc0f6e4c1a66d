/** Reads what pods refer to from an API server. An object that was read a moment ago is not asked for again. */
import type { ConfigMap, Secret, Service } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Informer } from '../../reconcile/informer.ts';
import type { ApiObjects } from './api-objects.ts';

export interface ClientObjectsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly services: Informer<Service>;
  readonly allocatable: () => Readonly<Record<string, string>>;
}

/** Pods that start together share a read; a change is seen with the next sync. */
const freshMs = 1000;
const mostEntries = 1000;

export function createClientObjects({ client, clock, services, allocatable }: ClientObjectsOptions): ApiObjects {
  const recent = new Map<string, { readonly at: number; readonly object: Promise<unknown> }>();
  const read = <T>(key: string, ask: () => Promise<T>): Promise<T> => {
    const known = recent.get(key);
    if (known !== undefined && clock.now() - known.at < freshMs) return known.object as Promise<T>;
    const object = ask();
    recent.delete(key);
    if (recent.size >= mostEntries) recent.delete(recent.keys().next().value!);
    recent.set(key, { at: clock.now(), object });
    object.catch(() => recent.delete(key));
    return object;
  };
  const configMap = (namespace: string, name: string): Promise<ConfigMap | undefined> =>
    read(`configmap/${namespace}/${name}`, () =>
      client.core.v1.configmaps.namespace(namespace).get(name).catch(undefinedWhenGone),
    );
  const secret = (namespace: string, name: string): Promise<Secret | undefined> =>
    read(`secret/${namespace}/${name}`, () =>
      client.core.v1.secrets.namespace(namespace).get(name).catch(undefinedWhenGone),
    );
  return {
    configMap,
    secret,
    allocatable,
    claim: (namespace, name) =>
      client.core.v1.persistentvolumeclaims.namespace(namespace).get(name).catch(undefinedWhenGone),
    persistentVolume: (name) => client.core.v1.persistentvolumes.get(name).catch(undefinedWhenGone),
    runtimeHandler: async (name) => (await client.node.v1.runtimeclasses.get(name)).handler ?? '',
    services: () => services.objects.values(),
    async namedObjects(namespace, names) {
      const [maps, secrets] = await Promise.all([
        Promise.all([...names.configMaps].map(async (name) => [name, await configMap(namespace, name)] as const)),
        Promise.all([...names.secrets].map(async (name) => [name, await secret(namespace, name)] as const)),
      ]);
      const [mapsByName, secretsByName] = [new Map(maps), new Map(secrets)];
      return { configMap: (name) => mapsByName.get(name), secret: (name) => secretsByName.get(name) };
    },
    async token({ namespace, serviceAccount, pod, audience, expirationSeconds }) {
      const { status } = await client.core.v1.serviceaccounts.namespace(namespace).token.create(serviceAccount, {
        spec: {
          audiences: audience === '' ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
        },
      });
      return { token: status.token!, expiresAtMs: Date.parse(status.expirationTimestamp!) };
    },
  };
}
