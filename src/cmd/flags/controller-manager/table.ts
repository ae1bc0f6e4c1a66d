/**
 * Every option of the controller manager, by section: those of our specification, and those of kube-controller-manager
 * 1.32, so that flag files that start it start this program. None is refused.
 */
import type { OptionsOf } from '../flag.ts';
import { daemonSections } from '../shared/daemon.ts';
import { legacyTokenCleaner, serviceAccountController, signingController } from './credentials.ts';
import { cloud, generic, leaderMigration, nodeIpamController } from './generic.ts';
import {
  attachDetachController,
  ephemeralVolumeController,
  garbageCollector,
  namespaceController,
  nodeLifecycleController,
  podGarbageCollector,
  policyStatusController,
  resourceQuotaController,
  volumeBinder,
} from './objects.ts';
import {
  autoscaler,
  cronJobController,
  daemonSetController,
  deploymentController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  jobController,
  replicaSetController,
  replicationController,
  statefulSetController,
  ttlAfterFinishedController,
} from './workloads.ts';
import { controllerManagerLocks } from './lock.ts';

const { debugging, logs, metrics, program, ...daemon } = daemonSections({
  securePort: 10257,
  pairName: 'kube-controller-manager',
  lock: controllerManagerLocks.own,
  tolerateLookupFailure: false,
});

export const controllerManagerFlags = {
  generic,
  ...daemon,
  leaderMigration,
  attachDetachController,
  autoscaler,
  cronJobController,
  daemonSetController,
  deploymentController,
  endpointsController,
  endpointSliceController,
  endpointSliceMirroringController,
  ephemeralVolumeController,
  garbageCollector,
  jobController,
  legacyTokenCleaner,
  namespaceController,
  nodeIpamController,
  nodeLifecycleController,
  podGarbageCollector,
  policyStatusController,
  replicaSetController,
  replicationController,
  resourceQuotaController,
  serviceAccountController,
  signingController,
  statefulSetController,
  ttlAfterFinishedController,
  volumeBinder,
  logs,
  metrics,
  debugging,
  cloud,
  program,
} as const;

export type ControllerManagerFlagOptions = OptionsOf<typeof controllerManagerFlags>;
