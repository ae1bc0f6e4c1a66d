/** Controllers of what runs, and of how it is reached. */
import { defaultControllerManagerOptions } from '../../../controllers/manager/options.ts';
import { bool, duration, float, type Flag, int32, section } from '../flag.ts';
import { period, syncs } from './flag-forms.ts';

const defaults = defaultControllerManagerOptions;

const batchPeriod = (name: string, objects: string): Flag<number> =>
  duration(name, 'supported', {
    help: `How long changes of pods are collected before the ${objects} are written. 0 writes them at once.`,
  });

export const deploymentController = section('Deployment controller', {
  concurrentSyncs: syncs('concurrent-deployment-syncs', defaults.deployment, 'deployments'),
});
export const replicaSetController = section('ReplicaSet controller', {
  concurrentSyncs: syncs('concurrent-replicaset-syncs', defaults.replicaSet, 'replica sets'),
});
export const replicationController = section('Replication controller', {
  concurrentSyncs: syncs('concurrent-rc-syncs', defaults.replicationController, 'replication controllers'),
});
export const statefulSetController = section('StatefulSet controller', {
  concurrentSyncs: syncs('concurrent-statefulset-syncs', defaults.statefulSet, 'stateful sets'),
});
export const daemonSetController = section('DaemonSet controller', {
  concurrentSyncs: syncs('concurrent-daemonset-syncs', defaults.daemonSet, 'daemon sets'),
});
export const jobController = section('Job controller', {
  concurrentSyncs: syncs('concurrent-job-syncs', defaults.job, 'jobs'),
});
export const cronJobController = section('CronJob controller', {
  concurrentSyncs: syncs('concurrent-cron-job-syncs', defaults.cronJob, 'cron jobs'),
});
export const ttlAfterFinishedController = section('TTL-after-finished controller', {
  concurrentSyncs: syncs('concurrent-ttl-after-finished-syncs', defaults.ttlAfterFinished, 'finished jobs'),
});

export const endpointsController = section('Endpoints controller', {
  concurrentSyncs: syncs('concurrent-endpoint-syncs', defaults.endpoints, 'services'),
  updatesBatchPeriodMs: batchPeriod('endpoint-updates-batch-period', 'endpoints'),
});
export const endpointSliceController = section('EndpointSlice controller', {
  concurrentSyncs: syncs('concurrent-service-endpoint-syncs', defaults.endpointSlice, 'services'),
  updatesBatchPeriodMs: batchPeriod('endpointslice-updates-batch-period', 'endpoint slices'),
  maxEndpointsPerSlice: int32('max-endpoints-per-slice', 'supported', {
    default: defaults.endpointSlice.maxEndpointsPerSlice,
    help: 'How many endpoints a slice may have. More make fewer and larger slices.',
  }),
});
export const endpointSliceMirroringController = section('EndpointSlice mirroring controller', {
  concurrentSyncs: syncs(
    'mirroring-concurrent-service-endpoint-syncs',
    defaults.endpointSliceMirroring,
    'endpoints objects',
  ),
  updatesBatchPeriodMs: duration('mirroring-endpointslice-updates-batch-period', 'supported', {
    help: 'How long changes of endpoints are collected before the slices are written. 0 writes them at once.',
  }),
  maxEndpointsPerSubset: int32('mirroring-max-endpoints-per-subset', 'supported', {
    default: defaults.endpointSliceMirroring.maxEndpointsPerSubset,
    help: 'How many endpoints of a subset are mirrored.',
  }),
});

const hpa = defaults.horizontalPodAutoscaler;
const gone = 'The autoscaler does not have it any more.';

export const autoscaler = section('Horizontal pod autoscaler', {
  concurrentSyncs: syncs('concurrent-horizontal-pod-autoscaler-syncs', hpa, 'horizontal pod autoscalers'),
  syncPeriodMs: period(
    'horizontal-pod-autoscaler-sync-period',
    hpa.syncPeriodMs,
    'How often the number of pods is judged.',
  ),
  downscaleStabilizationMs: period(
    'horizontal-pod-autoscaler-downscale-stabilization',
    hpa.downscaleStabilizationMs,
    'No fewer pods are wanted than were recommended at any time in this period.',
  ),
  cpuInitializationPeriodMs: period(
    'horizontal-pod-autoscaler-cpu-initialization-period',
    hpa.cpuInitializationPeriodMs,
    'How long after its start the CPU of a pod may count for nothing.',
  ),
  initialReadinessDelayMs: period(
    'horizontal-pod-autoscaler-initial-readiness-delay',
    hpa.initialReadinessDelayMs,
    'How long after its start a pod that becomes unready is taken for one that was not ready yet.',
  ),
  tolerance: float('horizontal-pod-autoscaler-tolerance', 'supported', {
    default: hpa.tolerance,
    help: 'How far usage may be from its target, as a part of it, before the number of pods changes.',
  }),
  upscaleDelayMs: duration('horizontal-pod-autoscaler-upscale-delay', 'ignored', { default: '3m0s', help: gone }),
  downscaleDelayMs: duration('horizontal-pod-autoscaler-downscale-delay', 'ignored', { default: '5m0s', help: gone }),
  usesRestClients: bool('horizontal-pod-autoscaler-use-rest-clients', 'ignored', { default: true, help: gone }),
});
