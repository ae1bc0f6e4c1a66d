/**
 * Writes all objects of a resource again, so that they are stored in the version and the encryption of today.
 *
 * 1. A new migration gets the resource version of that moment: objects that are written later are up to date.
 * 2. Each object is patched with nothing but what names it. One that has changed since, or is gone, needs nothing.
 *
 * @NOTE differs from upstream: the objects are listed here, in pages of metadata; upstream takes them from the cache of
 * its garbage collector.
 * @see {@link https://kep.k8s.io/4192 | KEP-4192}
 */
import type { StorageVersionMigration } from '../../api/gen/types/storagemigration-v1alpha1.ts';
import { isConflict, isNotFound } from '../../client/api-error.ts';
import { discover } from '../../client/discovery/discover.ts';
import { apiVersionOf } from '../../client/discovery/resources.ts';
import type { ResourceTarget } from '../../client/resources/resource-client.ts';
import type { SyncResult } from '../../reconcile/controller.ts';
import { changesOf } from '../../reconcile/controller.ts';
import type { ControllerContext } from '../manager/context.ts';
import { hasEnded, inPhase, type Phase } from './sync.ts';

const pageSize = 500;

export function startStorageVersionMigrations(context: ControllerContext): void {
  const { client, name: manager, wallTime } = context;
  const { storageversionmigrations } = client.storagemigration.v1alpha1;
  const migrations = context.informer(storageversionmigrations);
  const cache = context.mutationCache(migrations);

  const tell = async (
    migration: StorageVersionMigration,
    phase: Phase,
    message = '',
  ): Promise<StorageVersionMigration> => {
    const next = inPhase(migration, phase, wallTime(), message);
    if (next === migration) return migration;
    const written = await storageversionmigrations.status.update(next);
    cache.wrote(written);
    return written;
  };
  /** Undefined when the resource is not served. */
  const targetOf = async (
    { spec }: StorageVersionMigration,
    signal: AbortSignal,
  ): Promise<(ResourceTarget & { kind: string }) | undefined> => {
    const { group = '', version = '', resource = '' } = spec?.resource ?? {};
    const discovery = await discover(client, signal);
    const failure = discovery.failures.get(apiVersionOf({ group, version }));
    if (failure !== undefined) throw new Error(`it is unknown whether ${resource} is served: ${failure}`);
    const found = discovery.named({ group, version, resource });
    return found && { group, version, resource, kind: found.kind, hasProtobuf: false };
  };
  const begin = async (
    migration: StorageVersionMigration,
    target: ResourceTarget,
  ): Promise<StorageVersionMigration> => {
    const { metadata } = await client
      .resourceFor({ ...target, projection: 'PartialObjectMetadata' })
      .list({ limit: 1 });
    const status = { ...migration.status, resourceVersion: metadata!.resourceVersion! };
    const written = await storageversionmigrations.status.update({ ...migration, status });
    cache.wrote(written);
    return written;
  };
  const migrate = async (target: ResourceTarget & { kind: string }, signal: AbortSignal): Promise<void> => {
    const { kind } = target;
    const apiVersion = apiVersionOf(target);
    const names = client.resourceFor({ ...target, projection: 'PartialObjectMetadata' });
    const objects = client.resourceFor(target);
    let next: string | undefined;
    do {
      const { items, metadata } = await names.list({ limit: pageSize, signal, ...(next ? { continue: next } : {}) });
      for (const { metadata: found = {} } of items) {
        const { name, namespace, uid, resourceVersion } = found;
        const at = namespace === undefined ? objects : objects.namespace(namespace);
        const config = { apiVersion, kind, metadata: { name: name!, uid: uid!, resourceVersion: resourceVersion! } };
        await at.apply(config, { fieldManager: manager, signal }).catch((error: unknown) => {
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
      }
      next = metadata?.continue === '' ? undefined : metadata?.continue;
    } while (next !== undefined);
  };

  const sync = async (key: string, signal: AbortSignal): Promise<SyncResult> => {
    let migration = cache.get(key);
    if (migration === undefined || hasEnded(migration)) return undefined;
    const target = await targetOf(migration, signal);
    if (target === undefined) {
      await tell(migration, 'Failed', 'resource does not exist in discovery');
      return undefined;
    }
    if ((migration.status?.resourceVersion ?? '') === '') migration = await begin(migration, target);
    migration = await tell(migration, 'Running');
    try {
      await migrate(target, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      await tell(migration, 'Failed', `migration encountered unhandled error: ${(error as Error).message}`);
      return undefined;
    }
    await tell(migration, 'Succeeded');
    return undefined;
  };
  context.work({
    queue: 'storage-version-migrator-controller',
    workers: 1,
    triggers: [changesOf(migrations, ({ metadata }) => [metadata.name!])],
    sync,
  });
}
