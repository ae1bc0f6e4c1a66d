/** Errors of the values of controller manager options, with the reference's texts where it has some. */
import { findController } from '../../../controllers/manager/controller-names.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import type { GivenFlags } from '../parse.ts';
import { daemonProblems } from '../shared/daemon.ts';
import { emulatedGateProblems, emulatedGates, emulatedVersionProblems } from '../shared/emulated-version.ts';
import { daemonGates } from '../shared/feature-gates.ts';
import type { Problems, Spelling } from '../shared/problems.ts';
import { checkSigning } from './signing.ts';
import type { ControllerManagerFlagOptions } from './table.ts';
import { checkNodeIpam } from './validate-cidrs.ts';

type Options = ControllerManagerFlagOptions;

/** A sentence per problem; empty when the controllers can start. */
export function validateControllerManagerOptions(options: Options, given: GivenFlags): string[] {
  const spelled: Spelling = (name) => given.get(name) ?? `--${name}`;
  return [
    ...checkGeneric(options, spelled),
    ...daemonProblems(
      { ...options, client: options.generic },
      emulatedGates(options.generic.featureGates, options.generic.emulatedVersions, daemonGates),
      spelled,
    ),
    ...checkWorkers(options),
    ...checkPeriods(options, spelled),
    ...checkEndpoints(options),
    ...checkNodeIpam(options.nodeIpamController),
    ...checkSigning(options.signingController),
  ].filter((problem): problem is string => typeof problem === 'string');
}

const checkGeneric = ({ generic, leaderMigration }: Options, spelled: Spelling): Problems => [
  ...generic.controllers
    .filter((item) => item !== '*')
    .map((item) => item.replace(/^-/, ''))
    .map((name) => findController(name) === undefined && `${goQuote(name)} is not in the list of known controllers`),
  leaderMigration.isEnabled &&
    leaderMigration.configFile === undefined &&
    `${spelled('leader-migration-config')} is required`,
  ...emulatedVersionProblems(generic.emulatedVersions),
  ...emulatedGateProblems(generic.featureGates, generic.emulatedVersions, daemonGates),
];

/**
 * The numbers that must be greater than 0.
 *
 * @NOTE differs from upstream: it checks six of them, and a controller with none of the others does nothing.
 */
const workersOf = (options: Options): Readonly<Record<string, number>> => ({
  'concurrent-cron-job-syncs': options.cronJobController.concurrentSyncs,
  'concurrent-daemonset-syncs': options.daemonSetController.concurrentSyncs,
  'concurrent-deployment-syncs': options.deploymentController.concurrentSyncs,
  'concurrent-endpoint-syncs': options.endpointsController.concurrentSyncs,
  'concurrent-ephemeralvolume-syncs': options.ephemeralVolumeController.concurrentSyncs,
  'concurrent-gc-syncs': options.garbageCollector.concurrentSyncs,
  'concurrent-horizontal-pod-autoscaler-syncs': options.autoscaler.concurrentSyncs,
  'concurrent-job-syncs': options.jobController.concurrentSyncs,
  'concurrent-namespace-syncs': options.namespaceController.concurrentSyncs,
  'concurrent-rc-syncs': options.replicationController.concurrentSyncs,
  'concurrent-replicaset-syncs': options.replicaSetController.concurrentSyncs,
  'concurrent-resource-quota-syncs': options.resourceQuotaController.concurrentSyncs,
  'concurrent-service-syncs': options.cloud.concurrentServiceSyncs,
  'concurrent-serviceaccount-token-syncs': options.serviceAccountController.concurrentTokenSyncs,
  'concurrent-statefulset-syncs': options.statefulSetController.concurrentSyncs,
  'concurrent-ttl-after-finished-syncs': options.ttlAfterFinishedController.concurrentSyncs,
  'concurrent-validating-admission-policy-status-syncs': options.policyStatusController.concurrentSyncs,
});

const checkWorkers = (options: Options): Problems =>
  Object.entries(workersOf(options)).map(
    ([name, value]) => value < 1 && `${name} must be greater than 0, but got ${value}`,
  );

/** What is done again and again, and would never pause with 0. */
const periodsOf = (options: Options): Readonly<Record<string, number>> => ({
  'horizontal-pod-autoscaler-sync-period': options.autoscaler.syncPeriodMs,
  'min-resync-period': options.generic.minResyncPeriodMs,
  'namespace-sync-period': options.namespaceController.syncPeriodMs,
  'node-monitor-period': options.nodeLifecycleController.monitorPeriodMs,
  'pvclaimbinder-sync-period': options.volumeBinder.syncPeriodMs,
  'resource-quota-sync-period': options.resourceQuotaController.syncPeriodMs,
  'route-reconciliation-period': options.cloud.routeReconciliationPeriodMs,
});

const delaysOf = (options: Options): Readonly<Record<string, number>> => ({
  'controller-start-interval': options.generic.startIntervalMs,
  'cluster-signing-duration': options.signingController.durationMs,
  'endpoint-updates-batch-period': options.endpointsController.updatesBatchPeriodMs,
  'endpointslice-updates-batch-period': options.endpointSliceController.updatesBatchPeriodMs,
  'mirroring-endpointslice-updates-batch-period': options.endpointSliceMirroringController.updatesBatchPeriodMs,
  'horizontal-pod-autoscaler-downscale-stabilization': options.autoscaler.downscaleStabilizationMs,
  'horizontal-pod-autoscaler-cpu-initialization-period': options.autoscaler.cpuInitializationPeriodMs,
  'horizontal-pod-autoscaler-initial-readiness-delay': options.autoscaler.initialReadinessDelayMs,
  'horizontal-pod-autoscaler-tolerance': options.autoscaler.tolerance,
  'legacy-service-account-token-clean-up-period': options.legacyTokenCleaner.cleanUpPeriodMs,
  'node-monitor-grace-period': options.nodeLifecycleController.monitorGracePeriodMs,
  'node-startup-grace-period': options.nodeLifecycleController.startupGracePeriodMs,
  'node-eviction-rate': options.nodeLifecycleController.evictionRate,
  'secondary-node-eviction-rate': options.nodeLifecycleController.secondaryEvictionRate,
});

const checkPeriods = (options: Options, spelled: Spelling): Problems => [
  ...Object.entries(periodsOf(options)).map(
    ([name, value]) => value <= 0 && `${spelled(name)} must be greater than zero`,
  ),
  ...Object.entries(delaysOf(options)).map(
    ([name, value]) => value < 0 && `${spelled(name)} can not be negative value`,
  ),
  options.attachDetachController.reconcileSyncPeriodMs < 1000 &&
    `${spelled('attach-detach-reconcile-sync-period')} must not be less than 1s`,
];

const maxWorkers = 50;
const maxEndpoints = 1000;

const checkEndpoints = ({ endpointSliceController, endpointSliceMirroringController }: Options): Problems => [
  ...within('concurrent-service-endpoint-syncs', endpointSliceController.concurrentSyncs, maxWorkers),
  ...within('max-endpoints-per-slice', endpointSliceController.maxEndpointsPerSlice, maxEndpoints),
  ...within(
    'mirroring-concurrent-service-endpoint-syncs',
    endpointSliceMirroringController.concurrentSyncs,
    maxWorkers,
  ),
  ...within('mirroring-max-endpoints-per-subset', endpointSliceMirroringController.maxEndpointsPerSubset, maxEndpoints),
];

const within = (name: string, value: number, most: number): Problems => [
  value < 1 && `${name} must not be less than 1, but got ${value}`,
  value > most && `${name} must not be more than ${most}, but got ${value}`,
];
