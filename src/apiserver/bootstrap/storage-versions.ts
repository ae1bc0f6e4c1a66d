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
import { type StorageVersionBarrier, storageVersionName } from './storage-version-barrier.ts';

/** In case they are changed or deleted. */
export const storageVersionsIntervalMs = 600_000;
/** Until all are written once. */
export const storageVersionsRetryMs = 1000;

const versions = { group: 'internal.apiserver.k8s.io', resource: 'storageversions' };

/** `core.pods`, `apps.deployments`, by name. */
export function versionsOf(
  { entries }: Pick<RegistryCatalog, 'entries'>,
  apiServerID: string,
): ReadonlyMap<string, ServerStorageVersion> {
  const found = new Map<string, ServerStorageVersion>();
  for (const resources of entries.values())
    for (const { info, store, servedVersions } of resources.values()) {
      const name = storageVersionName({ group: info.group, resource: info.name });
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
  /** Told of what is written and what fails. */
  readonly barrier: Pick<StorageVersionBarrier, 'written' | 'failed'>;
  readonly now: () => Date;
}

/** All of them, also after one failed; then throws that. */
export async function publishStorageVersions(options: StorageVersionsOptions): Promise<void> {
  const { registry, apiServerID, barrier } = options;
  const errors: unknown[] = [];
  for (const [name, own] of versionsOf(registry, apiServerID))
    try {
      await publish(name, own, options);
      barrier.written(name);
    } catch (error) {
      barrier.failed(name, error);
      errors.push(error);
    }
  if (errors.length > 0) throw errors[0];
}

async function publish(
  name: string,
  own: ServerStorageVersion,
  { writer, apiServerID, now }: StorageVersionsOptions,
): Promise<void> {
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
