/** From judged flags to what the controllers are started with. */
import type { ControllerManagerOptions } from '../../../controllers/manager/options.ts';
import { FlagError, type GivenFlags } from '../parse.ts';
import type { DaemonOptions } from '../shared/daemon.ts';
import { emulatedGates } from '../shared/emulated-version.ts';
import { daemonGates, gateWarnings } from '../shared/feature-gates.ts';
import { controllerManagerLock } from './lock.ts';
import { signersOf } from './signing.ts';
import type { ControllerManagerFlagOptions } from './table.ts';
import { validateControllerManagerOptions } from './validate.ts';
import { maskOf } from './validate-cidrs.ts';

export interface CompletedControllerManager {
  readonly daemon: DaemonOptions;
  readonly controllers: ControllerManagerOptions;
  /** What the operator should know, a sentence each. */
  readonly warnings: readonly string[];
}

/**
 * Throws {@link FlagError} with every problem there is.
 * @param program the name that the process was started by
 */
export function completeControllerManager(
  options: ControllerManagerFlagOptions,
  given: GivenFlags,
  program: string,
): CompletedControllerManager {
  const problems = validateControllerManagerOptions(options, given);
  if (problems.length > 0) throw new FlagError(problems);
  const { namespace, name } = controllerManagerLock(options.leaderElection, given, program);
  return {
    daemon: {
      ...options,
      client: options.generic,
      leaderElection: { ...options.leaderElection, resourceNamespace: namespace, resourceName: name },
    },
    controllers: controllerOptions(options),
    warnings: gateWarnings(options.generic.featureGates, daemonGates),
  };
}

/** @param options validated */
export function controllerOptions(options: ControllerManagerFlagOptions): ControllerManagerOptions {
  const { generic, volumeBinder: volumes, nodeIpamController: ipam } = options;
  return {
    generic: {
      controllers: generic.controllers,
      featureGates: emulatedGates(generic.featureGates, generic.emulatedVersions, daemonGates),
      startIntervalMs: generic.startIntervalMs,
      minResyncPeriodMs: generic.minResyncPeriodMs,
      useServiceAccountCredentials: generic.useServiceAccountCredentials,
      rootCaFile: options.serviceAccountController.rootCaFile,
    },
    attachDetach: options.attachDetachController,
    cronJob: options.cronJobController,
    daemonSet: options.daemonSetController,
    deployment: options.deploymentController,
    endpoints: options.endpointsController,
    endpointSlice: options.endpointSliceController,
    endpointSliceMirroring: options.endpointSliceMirroringController,
    ephemeralVolume: options.ephemeralVolumeController,
    garbageCollector: options.garbageCollector,
    horizontalPodAutoscaler: autoscalerOptions(options.autoscaler),
    job: options.jobController,
    legacyServiceAccountTokenCleaner: options.legacyTokenCleaner,
    namespace: options.namespaceController,
    nodeIpam: {
      allocateNodeCidrs: ipam.allocateNodeCidrs,
      allocatorType: ipam.allocatorType as 'RangeAllocator' | 'CloudAllocator',
      clusterCidrs: ipam.clusterCidrs,
      serviceCidrs: ipam.serviceCidrs,
      nodeMaskSizeIpv4: maskOf(ipam, 4),
      nodeMaskSizeIpv6: maskOf(ipam, 6),
    },
    nodeLifecycle: options.nodeLifecycleController,
    persistentVolumeBinder: {
      syncPeriodMs: volumes.syncPeriodMs,
      enableDynamicProvisioning: volumes.enableDynamicProvisioning,
      enableHostPathProvisioner: volumes.enableHostPathProvisioner,
      recyclerNfs: {
        templateFile: volumes.recyclerNfsTemplate,
        minimumSeconds: volumes.recyclerNfsMinimumSeconds,
        incrementSeconds: volumes.recyclerNfsIncrementSeconds,
      },
      recyclerHostPath: {
        templateFile: volumes.recyclerHostPathTemplate,
        minimumSeconds: volumes.recyclerHostPathMinimumSeconds,
        incrementSeconds: volumes.recyclerHostPathIncrementSeconds,
      },
    },
    podGarbageCollector: options.podGarbageCollector,
    replicaSet: options.replicaSetController,
    replicationController: options.replicationController,
    resourceQuota: options.resourceQuotaController,
    serviceAccountToken: {
      concurrentSyncs: options.serviceAccountController.concurrentTokenSyncs,
      privateKeyFile: options.serviceAccountController.privateKeyFile,
    },
    signing: { durationMs: options.signingController.durationMs, signers: signersOf(options.signingController) },
    statefulSet: options.statefulSetController,
    ttlAfterFinished: options.ttlAfterFinishedController,
    validatingAdmissionPolicyStatus: options.policyStatusController,
  };
}

/** Without the flags that have no meaning any more. */
const autoscalerOptions = ({
  upscaleDelayMs: _upscaleDelayMs,
  downscaleDelayMs: _downscaleDelayMs,
  usesRestClients: _usesRestClients,
  ...options
}: ControllerManagerFlagOptions['autoscaler']): ControllerManagerOptions['horizontalPodAutoscaler'] => options;
