/**
 * Refuses writes of resources whose storage version this server has not published yet, at its start. Reading is
 * allowed, and what publishing itself needs: StorageVersions and leases in kube-system.
 */
import { type GroupResource, qualified, serviceUnavailable } from '../../machinery/status.ts';
import type { Filter } from '../request/request.ts';

export interface PendingStorageVersions {
  readonly isDone: boolean;
  isPending(resource: GroupResource): boolean;
  lastError(resource: GroupResource): string | undefined;
}

const reads: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

export const awaitStorageVersions =
  (versions: PendingStorageVersions): Filter =>
  (request, next) => {
    if (versions.isDone) return next();
    const { isResourceRequest, verb, group, resource, namespace } = request.info;
    if (!isResourceRequest || reads.has(verb)) return next();
    if (group === 'internal.apiserver.k8s.io' && resource === 'storageversions') return next();
    if (group === 'coordination.k8s.io' && resource === 'leases' && namespace === 'kube-system') return next();
    const written = { group, resource };
    if (!versions.isPending(written)) return next();
    throw serviceUnavailable(
      `wait for storage version registration to complete for resource: ${qualified(written)}, last seen error: ` +
        (versions.lastError(written) ?? '<nil>'),
    );
  };
