/** Reads what pods refer to from an API server. A class or driver that was read a moment ago is not
 * asked for again. */
import type { Node, Service } from '../../api/gen/types/core-v1.ts';
import type { Clock } from '../../base/clock.ts';
import type { Client } from '../../client/client.ts';
import { undefinedWhenGone } from '../../client/undefined-when-gone.ts';
import type { Informer } from '../../reconcile/informer.ts';
import { expandedStatus } from '../volumes/csi/expand.ts';
import type { ApiObjects } from './api-objects.ts';
import type { ObjectReaders } from './referred/object-reader.ts';

export interface ClientObjectsOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly services: Informer<Service>;
  readonly readers: ObjectReaders;
  readonly nodeName: string;
  /** Undefined until the API server has told it. */
  readonly node: () => Node | undefined;
  readonly allocatable: () => Readonly<Record<string, string>>;
}

/** Pods that start together share a read; a change is seen with the next sync. */
const freshMs = 1000;
const mostEntries = 1000;

export function createClientObjects(options: ClientObjectsOptions): ApiObjects {
  const { client, clock, services, allocatable, nodeName, node, readers } = options;
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
  const configMap: ApiObjects['configMap'] = (...request) => readers.configMaps.get(...request);
  const secret: ApiObjects['secret'] = (...request) => readers.secrets.get(...request);
  return {
    configMap,
    secret,
    allocatable,
    claim: (namespace, name) =>
      client.core.v1.persistentvolumeclaims.namespace(namespace).get(name).catch(undefinedWhenGone),
    persistentVolume: (name) => client.core.v1.persistentvolumes.get(name).catch(undefinedWhenGone),
    csiDriver: (name) =>
      read(`csidriver/${name}`, () => client.storage.v1.csidrivers.get(name).catch(undefinedWhenGone)),
    volumeAttachment: (name) => client.storage.v1.volumeattachments.get(name).catch(undefinedWhenGone),
    trustBundle: (name) =>
      read(`trustbundle/${name}`, () =>
        client.certificates.v1alpha1.clustertrustbundles.get(name).catch(undefinedWhenGone),
      ),
    trustBundlesOf: (signerName) =>
      read(`trustbundles/${signerName}`, async () => {
        const fieldSelector = `spec.signerName=${signerName}`;
        return (await client.certificates.v1alpha1.clustertrustbundles.list({ fieldSelector })).items;
      }),
    async claimExpanded(claim, size) {
      const { namespace = '' } = claim.metadata;
      const claims = client.core.v1.persistentvolumeclaims.namespace(namespace);
      await claims.status.update({ ...claim, status: expandedStatus(claim, size) });
    },
    volumesAttached: () => (node()?.status?.volumesAttached ?? []).map(({ name = '' }) => name),
    async writeVolumesInUse(names) {
      await client.core.v1.nodes.status.patch(nodeName, { merge: { status: { volumesInUse: names } } });
    },
    runtimeHandler: async (name) => (await client.node.v1.runtimeclasses.get(name)).handler ?? '',
    services: () => services.objects.values(),
    async namedObjects(namespace, names, signal) {
      const [maps, secrets] = await Promise.all([
        Promise.all(
          [...names.configMaps].map(async (name) => [name, await configMap(namespace, name, signal)] as const),
        ),
        Promise.all([...names.secrets].map(async (name) => [name, await secret(namespace, name, signal)] as const)),
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
