/** Whether a volume can be made for a claim where a node can have it. */
import type { Node, PersistentVolumeClaim, TopologySelectorTerm } from '../../../api/gen/types/core-v1.ts';
import type { CSIStorageCapacity, StorageClass } from '../../../api/gen/types/storage-v1.ts';
import { quantityOf } from '../../../api/core/resources/quantities.ts';
import { matchesLabels, requirementsOf } from '../../../machinery/label-selector.ts';
import { classOf, noProvisioner } from '../../../api/core/persistent-volumes/class-of.ts';
import type { StorageReader } from '../volumes/storage-reader.ts';
import { requestOf } from '../../../api/core/persistent-volumes/matching.ts';

export type ProvisioningReader = Pick<StorageReader, 'storageClass' | 'csiDriver' | 'capacities'>;

export type Provisioning = 'possible' | 'impossible' | 'noCapacity';

export function provisioning(claim: PersistentVolumeClaim, node: Node, storage: ProvisioningReader): Provisioning {
  const storageClass = storage.storageClass(classOf(claim));
  const { provisioner = '' } = storageClass ?? {};
  if (storageClass === undefined || provisioner === '' || provisioner === noProvisioner) return 'impossible';
  if (!isAllowed(storageClass.allowedTopologies, node)) return 'impossible';
  return hasCapacity(claim, storageClass, node, storage) ? 'possible' : 'noCapacity';
}

/** Any of the terms; each needs all of its labels. */
export function isAllowed(terms: readonly TopologySelectorTerm[] | undefined, { metadata }: Node): boolean {
  if (terms === undefined || terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key = '', values = [] }) => values.includes(metadata.labels?.[key] ?? '')),
  );
}

/** @see {@link https://kep.k8s.io/1472 | KEP-1472}: drivers that do not tell their capacity always have some. */
function hasCapacity(
  claim: PersistentVolumeClaim,
  { metadata, provisioner = '' }: StorageClass,
  node: Node,
  storage: ProvisioningReader,
): boolean {
  if (claim.spec.resources.requests?.['storage'] === undefined) return true;
  if (storage.csiDriver(provisioner)?.spec.storageCapacity !== true) return true;
  const wanted = requestOf(claim);
  for (const capacity of storage.capacities())
    if (capacity.storageClassName === metadata.name && isEnough(capacity, wanted) && isReachable(capacity, node))
      return true;
  return false;
}

function isEnough({ capacity, maximumVolumeSize }: CSIStorageCapacity, wanted: ReturnType<typeof requestOf>): boolean {
  const limit = maximumVolumeSize ?? capacity;
  return limit !== undefined && quantityOf(limit).compare(wanted) >= 0;
}

const isReachable = ({ nodeTopology }: CSIStorageCapacity, { metadata }: Node): boolean =>
  nodeTopology !== undefined && matchesLabels(requirementsOf(nodeTopology), metadata.labels ?? {});
