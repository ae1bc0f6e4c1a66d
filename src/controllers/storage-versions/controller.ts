/**
 * Takes API servers that are gone out of StorageVersion objects. A server is there as long as it has its lease.
 * @see {@link https://kep.k8s.io/2339 | KEP-2339}
 */
import type { StorageVersion } from '../../api/gen/types/apiserverinternal-v1alpha1.ts';
import { isNotFound } from '../../client/api-error.ts';
import type { ControllerContext } from '../manager/context.ts';
import { eventsOf } from '../shared/triggers.ts';
import { isIdentity, leaseNamespace, serversOf, without } from './sync.ts';

export function startStorageVersions(context: ControllerContext): void {
  const { client, wallTime } = context;
  const { storageversions } = client.internal.v1alpha1;
  const versions = context.informer(storageversions);
  const leases = context.informer(client.coordination.v1.leases);

  /** Asked of the API server: a lease that was made a moment ago is not in the cache. */
  const isThere = async (server: string): Promise<boolean> => {
    try {
      return isIdentity(await client.coordination.v1.leases.namespace(leaseNamespace).get(server));
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return false;
    }
  };
  const goneOf = async (servers: Iterable<string>): Promise<ReadonlySet<string>> => {
    const gone = new Set<string>();
    for (const server of servers) if (!(await isThere(server))) gone.add(server);
    return gone;
  };
  const clean = async (name: string): Promise<undefined> => {
    try {
      const version = await storageversions.get(name);
      const cleaned = without(version, await goneOf(new Set(serversOf(version))), wallTime());
      if (cleaned === 'remove') await storageversions.delete(name);
      else if (cleaned !== 'keep') await storageversions.status.update(cleaned);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  };
  const isSuspect = (version: StorageVersion): boolean =>
    serversOf(version).some((server) => {
      const lease = leases.lister.get(leaseNamespace, server);
      return lease === undefined || !isIdentity(lease);
    });
  context.work({
    queue: 'storage_version_garbage_collector_storageversions',
    workers: 1,
    triggers: [
      eventsOf(versions, (add) => {
        const look = (version: StorageVersion): void => (isSuspect(version) ? add(version.metadata.name!) : undefined);
        return { onAdd: look, onUpdate: (_, version) => look(version) };
      }),
      eventsOf(leases, (add) => ({
        onDelete(lease) {
          if (!isIdentity(lease)) return;
          for (const version of versions.objects.values())
            if (serversOf(version).includes(lease.metadata.name!)) add(version.metadata.name!);
        },
      })),
    ],
    sync: clean,
  });
}
