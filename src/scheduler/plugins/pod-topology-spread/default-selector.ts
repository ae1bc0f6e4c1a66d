/** What pods belong together with a pod: those of its services and of its controller. */
import type { Pod, ReplicationController, Service } from '../../../api/gen/types/core-v1.ts';
import type { ReplicaSet, StatefulSet } from '../../../api/gen/types/apps-v1.ts';
import {
  matchesLabels,
  nothing,
  type Requirement,
  requirementsOf,
  requirementsOfMap,
} from '../../../machinery/label-selector.ts';

export interface WorkloadReader {
  servicesIn(namespace: string): Iterable<Service>;
  replicationController(namespace: string, name: string): ReplicationController | undefined;
  replicaSet(namespace: string, name: string): ReplicaSet | undefined;
  statefulSet(namespace: string, name: string): StatefulSet | undefined;
}

/** Empty when nothing selects the pod. */
export function defaultSelector({ metadata }: Pod, workloads: WorkloadReader): readonly Requirement[] {
  const { namespace = '', labels = {} } = metadata;
  const equal: Record<string, string> = {};
  for (const { spec } of workloads.servicesIn(namespace)) {
    const { selector = {} } = spec;
    if (Object.keys(selector).length > 0 && matchesLabels(requirementsOfMap(selector), labels))
      Object.assign(equal, selector);
  }
  return [...requirementsOfMap(equal), ...controllerRequirements(metadata, workloads)];
}

function controllerRequirements(
  { namespace = '', ownerReferences = [] }: Pod['metadata'],
  workloads: WorkloadReader,
): readonly Requirement[] {
  const { apiVersion = '', kind = '', name = '' } = ownerReferences.find(({ controller }) => controller === true) ?? {};
  switch (`${apiVersion} ${kind}`) {
    case 'v1 ReplicationController':
      return requirementsOfMap(workloads.replicationController(namespace, name)?.spec.selector);
    case 'apps/v1 ReplicaSet':
      return ofSelector(workloads.replicaSet(namespace, name));
    case 'apps/v1 StatefulSet':
      return ofSelector(workloads.statefulSet(namespace, name));
    default:
      return [];
  }
}

function ofSelector(owner: ReplicaSet | StatefulSet | undefined): readonly Requirement[] {
  const requirements = requirementsOf(owner?.spec.selector);
  return requirements === nothing ? [] : requirements;
}
