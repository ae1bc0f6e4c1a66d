/**
 * What is kept of a pod: of tens of thousands of them the rest is most of the memory, and reading it is most of the
 * time that a change of a pod costs. What the scheduler writes are bindings, patches and deletions, which need no whole
 * pod.
 */
import type { KeptFields } from '../../machinery/codec/index.ts';

const container = ['name', 'image', 'resources', 'ports', 'restartPolicy'];

export const keptPodFields: KeptFields = {
  'meta/v1.ObjectMeta': [
    ...['name', 'namespace', 'uid', 'resourceVersion', 'labels', 'creationTimestamp', 'deletionTimestamp'],
    'ownerReferences',
  ],
  'core/v1.PodSpec': [
    ...['nodeName', 'schedulerName', 'priority', 'preemptionPolicy', 'overhead', 'nodeSelector', 'affinity'],
    ...['tolerations', 'topologySpreadConstraints', 'schedulingGates', 'volumes', 'containers', 'initContainers'],
    ...['resources', 'resourceClaims'],
  ],
  'core/v1.Container': container,
  'core/v1.VolumeSource': [
    ...['gcePersistentDisk', 'awsElasticBlockStore', 'iscsi', 'rbd', 'persistentVolumeClaim', 'ephemeral'],
  ],
  'core/v1.PodStatus': [
    ...['phase', 'conditions', 'nominatedNodeName', 'startTime', 'resize', 'resourceClaimStatuses'],
  ],
};
