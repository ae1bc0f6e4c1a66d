/** What is left of a StorageVersion when API servers are gone. */
import type { StorageVersion } from '../../api/gen/types/apiserverinternal-v1alpha1.ts';
import type { Lease } from '../../api/gen/types/coordination-v1.ts';
import { withServers } from '../../api/internal/storage-versions/common-version.ts';

export const leaseNamespace = 'kube-system';
const identityLabel = 'apiserver.kubernetes.io/identity';

export const isIdentity = ({ metadata }: Lease): boolean =>
  metadata.namespace === leaseNamespace && metadata.labels?.[identityLabel] === 'kube-apiserver';

export const serversOf = ({ status }: StorageVersion): readonly string[] =>
  (status?.storageVersions ?? []).map(({ apiServerID = '' }) => apiServerID);

/** @returns 'keep' when all servers are there, 'remove' when none is, else what it says without the others */
export function without(
  version: StorageVersion,
  gone: ReadonlySet<string>,
  nowMs: number,
): 'keep' | 'remove' | StorageVersion {
  const servers = version.status?.storageVersions ?? [];
  const left = servers.filter(({ apiServerID = '' }) => !gone.has(apiServerID));
  if (left.length === servers.length) return 'keep';
  return left.length === 0 ? 'remove' : withServers(version, left, nowMs);
}
