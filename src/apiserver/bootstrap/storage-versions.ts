/**
 * Tells in StorageVersion objects in which version this server stores each built-in resource, so that clients know when
 * all servers agree.
 *
 * @NOTE differs from upstream: custom resources have no StorageVersion.
 * @see {@link https://kep.k8s.io/2339 | KEP-2339}
 */
import type { ServerStorageVersion, StorageVersion } from '../../api/gen/types/apiserverinternal-v1alpha1.ts';
import { withServers } from '../../api/internal/storage-versions/common-version.ts';
import { groupVersions } from '../../api/resources.ts';
import type { RegistryCatalog } from '../../registry/catalog.ts';
import type { LoopbackClient, ObjectName } from '../loopback/loopback-client.ts';

export const storageVersionsIntervalMs = 600_000;

const versions = { group: 'internal.apiserver.k8s.io', resource: 'storageversions' };

/** `core.pods`, `apps.deployments`, by name. */
export function versionsOf(
  { entries }: Pick<RegistryCatalog, 'entries'>,
  apiServerID: string,
): ReadonlyMap<string, ServerStorageVersion> {
  const found = new Map<string, ServerStorageVersion>();
  for (const resources of entries.values())
    for (const { info, store, servedVersions } of resources.values()) {
      const name = `${info.group === '' ? 'core' : info.group}.${info.name}`;
      if (store === undefined || store.resource === undefined || found.has(name)) continue;
      const known = groupVersions
        .filter(({ group, resources: all }) => group === info.group && all.some(({ name: each }) => each === info.name))
        .map(({ apiVersion }) => apiVersion);
      found.set(name, {
        apiServerID,
        encodingVersion: store.storageVersion,
        decodableVersions: [...new Set([store.storageVersion, ...known])].sort(),
        servedVersions: [...servedVersions.keys()].filter((each) => known.includes(each)).sort(),
      });
    }
  return found;
}

export interface StorageVersionsOptions {
  readonly writer: LoopbackClient;
  readonly registry: Pick<RegistryCatalog, 'entries'>;
  /** The name of the server's identity lease. */
  readonly apiServerID: string;
  readonly now: () => Date;
}

export async function publishStorageVersions({
  writer,
  registry,
  apiServerID,
  now,
}: StorageVersionsOptions): Promise<void> {
  for (const [name, own] of versionsOf(registry, apiServerID)) {
    const object: ObjectName = { ...versions, namespace: '', name };
    if ((await writer.find(object)) === undefined)
      await writer.create(object, { metadata: {}, spec: {}, status: {} } as StorageVersion);
    await writer.change<StorageVersion>(
      object,
      (version) => {
        const others = (version.status.storageVersions ?? []).filter((each) => each.apiServerID !== apiServerID);
        version.status = withServers(version, [...others, own], now().getTime()).status;
      },
      'status',
    );
  }
}
