/** Controllers of nodes, of volumes, and of the objects themselves. */
import { defaultControllerManagerOptions } from '../../../controllers/manager/options.ts';
import { bool, file, float, int32, section, strings, text } from '../flag.ts';
import { period, syncs } from './flag-forms.ts';

const defaults = defaultControllerManagerOptions;
const { nodeLifecycle, persistentVolumeBinder } = defaults;

export const namespaceController = section('Namespace controller', {
  concurrentSyncs: syncs('concurrent-namespace-syncs', defaults.namespace, 'namespaces'),
  syncPeriodMs: period(
    'namespace-sync-period',
    defaults.namespace.syncPeriodMs,
    'How often all namespaces are looked at again.',
  ),
});

export const garbageCollector = section('Garbage collector', {
  isEnabled: bool('enable-garbage-collector', 'supported', {
    default: defaults.garbageCollector.isEnabled,
    help: 'Delete objects whose owners are gone. Must be the same for the API server.',
  }),
  concurrentSyncs: syncs('concurrent-gc-syncs', defaults.garbageCollector, 'objects'),
});

export const podGarbageCollector = section('Pod garbage collector', {
  terminatedPodThreshold: int32('terminated-pod-gc-threshold', 'supported', {
    default: defaults.podGarbageCollector.terminatedPodThreshold,
    help: 'How many terminated pods are left. 0 or less leaves all.',
  }),
});

export const resourceQuotaController = section('ResourceQuota controller', {
  concurrentSyncs: syncs('concurrent-resource-quota-syncs', defaults.resourceQuota, 'resource quotas'),
  syncPeriodMs: period(
    'resource-quota-sync-period',
    defaults.resourceQuota.syncPeriodMs,
    'How often the usage of all quotas is counted again.',
  ),
});

export const policyStatusController = section('ValidatingAdmissionPolicy status controller', {
  concurrentSyncs: syncs(
    'concurrent-validating-admission-policy-status-syncs',
    defaults.validatingAdmissionPolicyStatus,
    'policies',
  ),
});

export const nodeLifecycleController = section('Node lifecycle controller', {
  monitorPeriodMs: period(
    'node-monitor-period',
    nodeLifecycle.monitorPeriodMs,
    'How often the health of nodes is looked at.',
  ),
  monitorGracePeriodMs: period(
    'node-monitor-grace-period',
    nodeLifecycle.monitorGracePeriodMs,
    'How long a node may be silent before it counts as unhealthy. Several times what its agent needs to report.',
  ),
  startupGracePeriodMs: period(
    'node-startup-grace-period',
    nodeLifecycle.startupGracePeriodMs,
    'The same for a node that is starting.',
  ),
  evictionRate: float('node-eviction-rate', 'supported', {
    default: nodeLifecycle.evictionRate,
    help: 'How many unhealthy nodes per second lose their pods in a healthy zone.',
  }),
  secondaryEvictionRate: float('secondary-node-eviction-rate', 'supported', {
    default: nodeLifecycle.secondaryEvictionRate,
    help:
      'The same in an unhealthy zone, where it has more nodes than --large-cluster-size-threshold; in smaller ones ' +
      'no node loses its pods then.',
  }),
  largeClusterSizeThreshold: int32('large-cluster-size-threshold', 'supported', {
    default: nodeLifecycle.largeClusterSizeThreshold,
    help: 'How many nodes a zone has at most that counts as small.',
  }),
  unhealthyZoneThreshold: float('unhealthy-zone-threshold', 'supported', {
    default: nodeLifecycle.unhealthyZoneThreshold,
    help: 'Part of the nodes of a zone, at least 3, that are not ready where the zone is unhealthy.',
  }),
});

export const attachDetachController = section('Attach-detach controller', {
  reconcileSyncPeriodMs: period(
    'attach-detach-reconcile-sync-period',
    defaults.attachDetach.reconcileSyncPeriodMs,
    'How often what is attached is compared with the nodes. More than one second.',
  ),
  disableReconcileSync: bool('disable-attach-detach-reconcile-sync', 'supported', {
    help: 'Do not compare it. Volumes may then stay attached to the wrong nodes.',
  }),
  disableForceDetachOnTimeout: bool('disable-force-detach-on-timeout', 'supported', {
    help: 'Do not detach volumes from an unhealthy node because of the time alone: only where a taint says it is off.',
  }),
});

export const ephemeralVolumeController = section('Ephemeral volume controller', {
  concurrentSyncs: syncs('concurrent-ephemeralvolume-syncs', defaults.ephemeralVolume, 'pods with ephemeral volumes'),
});

export const volumeBinder = section('Persistent volume binder', {
  syncPeriodMs: period(
    'pvclaimbinder-sync-period',
    persistentVolumeBinder.syncPeriodMs,
    'How often all volumes and claims are looked at again.',
  ),
  enableDynamicProvisioning: bool('enable-dynamic-provisioning', 'supported', {
    default: persistentVolumeBinder.enableDynamicProvisioning,
    help: 'Let volumes be provisioned for claims with a storage class.',
  }),
  enableHostPathProvisioner: bool('enable-hostpath-provisioner', 'supported', {
    help: 'Provision volumes of type hostPath. For tests on a single node.',
  }),
  flexVolumePluginDir: text('flex-volume-plugin-dir', 'ignored', {
    default: '/usr/libexec/kubernetes/kubelet-plugins/volume/exec/',
    help: 'There are no volume plugins here.',
  }),
  recyclerNfsTemplate: file('pv-recycler-pod-template-filepath-nfs', 'supported', {
    help: 'File with a pod that empties NFS volumes, in place of the built-in one.',
  }),
  recyclerNfsMinimumSeconds: int32('pv-recycler-minimum-timeout-nfs', 'supported', {
    default: persistentVolumeBinder.recyclerNfs.minimumSeconds,
    help: 'Seconds that a pod that empties an NFS volume may take at least.',
  }),
  recyclerNfsIncrementSeconds: int32('pv-recycler-increment-timeout-nfs', 'supported', {
    default: persistentVolumeBinder.recyclerNfs.incrementSeconds,
    help: 'Seconds that it may take for each GiB, if that is more.',
  }),
  recyclerHostPathTemplate: file('pv-recycler-pod-template-filepath-hostpath', 'supported', {
    help: 'File with a pod that empties hostPath volumes, in place of the built-in one. For tests on a single node.',
  }),
  recyclerHostPathMinimumSeconds: int32('pv-recycler-minimum-timeout-hostpath', 'supported', {
    default: persistentVolumeBinder.recyclerHostPath.minimumSeconds,
    help: 'Seconds that a pod that empties a hostPath volume may take at least.',
  }),
  recyclerHostPathIncrementSeconds: int32('pv-recycler-timeout-increment-hostpath', 'supported', {
    default: persistentVolumeBinder.recyclerHostPath.incrementSeconds,
    help: 'Seconds that it may take for each GiB, if that is more.',
  }),
  hostCidrDenylist: strings('volume-host-cidr-denylist', 'ignored', { help: 'There are no volume plugins here.' }),
  hostAllowLocalLoopback: bool('volume-host-allow-local-loopback', 'ignored', {
    default: true,
    help: 'There are no volume plugins here.',
  }),
});
