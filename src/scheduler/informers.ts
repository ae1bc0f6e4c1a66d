/** The objects that the scheduler reads, each kept current by one informer. */
import type { Logger } from '../base/logger.ts';
import type { Clock } from '../base/clock.ts';
import type {
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ReplicationController,
  Service,
} from '../api/gen/types/core-v1.ts';
import type { ReplicaSet, StatefulSet } from '../api/gen/types/apps-v1.ts';
import type { PodDisruptionBudget } from '../api/gen/types/policy-v1.ts';
import type {
  CSIDriver,
  CSINode,
  CSIStorageCapacity,
  StorageClass,
  VolumeAttachment,
} from '../api/gen/types/storage-v1.ts';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../api/gen/types/resource-v1beta1.ts';
import { schemas } from '../api/schemas.ts';
import type { Client } from '../client/client.ts';
import { createPartialReader } from '../machinery/codec/index.ts';
import type { KubeObject } from '../machinery/object-meta.ts';
import { Informer } from '../reconcile/informer.ts';
import { namespaceIndexer } from '../reconcile/lister.ts';
import type { Source } from '../reconcile/source.ts';
import { keptPodFields } from './state/kept-pod-fields.ts';

export interface SchedulerInformers {
  readonly pods: Informer<Pod>;
  readonly nodes: Informer<Node>;
  readonly namespaces: Informer<Namespace>;
  readonly services: Informer<Service>;
  readonly replicationControllers: Informer<ReplicationController>;
  readonly replicaSets: Informer<ReplicaSet>;
  readonly statefulSets: Informer<StatefulSet>;
  readonly disruptionBudgets: Informer<PodDisruptionBudget>;
  readonly volumes: Informer<PersistentVolume>;
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly storageClasses: Informer<StorageClass>;
  readonly csiNodes: Informer<CSINode>;
  readonly csiDrivers: Informer<CSIDriver>;
  readonly csiStorageCapacities: Informer<CSIStorageCapacity>;
  readonly volumeAttachments: Informer<VolumeAttachment>;
  /** With feature gate DynamicResourceAllocation; its API need not be served otherwise. */
  readonly devices?: DeviceInformers;
}

export interface DeviceInformers {
  readonly claims: Informer<ResourceClaim>;
  readonly slices: Informer<ResourceSlice>;
  readonly classes: Informer<DeviceClass>;
}

export interface InformerParts {
  readonly log: Logger;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether pods are kept with what the scheduler itself does not read. */
  readonly wholePods?: boolean;
  /** Whether pods can have ResourceClaims. */
  readonly dynamicResources?: boolean;
}

/** The index of VolumeAttachments by their node. */
export const attachmentsOfNode = 'node';

/** Pods that have ended need nothing of their node any more. */
const unfinishedPods = 'status.phase!=Succeeded,status.phase!=Failed';
const lean = { dropManagedFields: true, streamLists: true };

export function createSchedulerInformers(client: Client, options: InformerParts): SchedulerInformers {
  const { wholePods = false, dynamicResources = false, ...parts } = options;
  const of = <T extends KubeObject>(source: Source<T>, isNamespaced = false): Informer<T> =>
    new Informer({ source, ...parts, ...(isNamespaced ? { indexers: namespaceIndexer<T>(source.view) } : {}) });
  const { core, apps, policy, storage, resource } = client;
  return {
    pods: new Informer({
      source: core.v1.pods.source({
        ...lean,
        fieldSelector: unfinishedPods,
        partial: wholePods ? undefined : createPartialReader(schemas, keptPodFields),
      }),
      ...parts,
    }),
    nodes: of(core.v1.nodes.source(lean)),
    namespaces: of(core.v1.namespaces.source(lean)),
    services: of(core.v1.services.source(lean), true),
    replicationControllers: of(core.v1.replicationcontrollers.source(lean), true),
    replicaSets: of(apps.v1.replicasets.source(lean), true),
    statefulSets: of(apps.v1.statefulsets.source(lean), true),
    disruptionBudgets: of(policy.v1.poddisruptionbudgets.source(lean), true),
    volumes: of(core.v1.persistentvolumes.source(lean)),
    claims: of(core.v1.persistentvolumeclaims.source(lean)),
    storageClasses: of(storage.v1.storageclasses.source(lean)),
    csiNodes: of(storage.v1.csinodes.source(lean)),
    csiDrivers: of(storage.v1.csidrivers.source(lean)),
    csiStorageCapacities: of(storage.v1.csistoragecapacities.source(lean)),
    volumeAttachments: new Informer({
      source: storage.v1.volumeattachments.source(lean),
      ...parts,
      indexers: { [attachmentsOfNode]: ({ spec }) => [spec.nodeName ?? ''] },
    }),
    ...(dynamicResources
      ? {
          devices: {
            claims: of(resource.v1beta1.resourceclaims.source(lean)),
            slices: of(resource.v1beta1.resourceslices.source(lean)),
            classes: of(resource.v1beta1.deviceclasses.source(lean)),
          },
        }
      : {}),
  };
}

export const allInformers = ({
  devices = {} as DeviceInformers,
  ...informers
}: SchedulerInformers): Informer<unknown>[] =>
  [...Object.values(informers), ...Object.values(devices)] as Informer<unknown>[];
