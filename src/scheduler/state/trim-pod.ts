/**
 * A pod without what the scheduler never reads: of tens of thousands of pods that is most of the memory. What it writes
 * are bindings, patches and deletions, which need no whole pod.
 */
import type { Container, Pod, PodSpec, PodStatus } from '../../api/gen/types/core-v1.ts';

export function trimPod({ apiVersion, kind, metadata, spec, status }: Pod): Pod {
  const { name, namespace, uid, resourceVersion, labels, creationTimestamp, deletionTimestamp, ownerReferences } =
    metadata;
  const trimmed: Pod = {
    ...defined({ apiVersion, kind }),
    metadata: defined({
      ...{ name, namespace, uid, resourceVersion, labels, creationTimestamp, deletionTimestamp, ownerReferences },
    }),
    spec: trimSpec(spec),
    status: trimStatus(status),
  };
  return trimmed;
}

function trimSpec(spec: PodSpec): PodSpec {
  const { nodeName, schedulerName, priority, preemptionPolicy, overhead, nodeSelector, affinity, tolerations } = spec;
  const { topologySpreadConstraints, schedulingGates, volumes, containers, initContainers, resources } = spec;
  const { resourceClaims } = spec;
  return defined({
    ...{ nodeName, schedulerName, priority, preemptionPolicy, overhead, nodeSelector, affinity, tolerations },
    ...{ topologySpreadConstraints, schedulingGates, resources, resourceClaims },
    volumes: volumes?.filter((volume) => volume.configMap === undefined && volume.projected === undefined),
    containers: containers?.map(trimContainer),
    initContainers: initContainers?.map(trimContainer),
  });
}

function trimContainer({ name, image, resources, ports, restartPolicy }: Container): Container {
  return defined({ name, image, resources, ports, restartPolicy });
}

function trimStatus(status: PodStatus): PodStatus {
  const { phase, conditions, nominatedNodeName, startTime, resize, resourceClaimStatuses } = status;
  return defined({ phase, conditions, nominatedNodeName, startTime, resize, resourceClaimStatuses });
}

/** Without members that are undefined. */
function defined<T extends object>(value: { [K in keyof T]: T[K] | undefined }): T {
  const result: Partial<T> = {};
  for (const key in value) if (value[key] !== undefined) result[key] = value[key] as T[typeof key];
  return result as T;
}
