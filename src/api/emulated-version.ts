/**
 * What an older minor version did not have, for `--emulated-version`: gates and APIs that came after it, and gates
 * whose stage or default has changed since (KEP-4330). Only the minor version before this one can be emulated, as
 * upstream.
 */
import type { FeatureGate, GateSettings } from './feature-gates.ts';
import type { GroupVersionInfo } from './resources.ts';

export const currentMinor = 32;
export const oldestEmulatedMinor = 31;

/** Gates as they were in 1.31; null: not known there. */
const gatesOf131: Readonly<Record<string, FeatureGate | null>> = {
  AuthorizeNodeWithSelectors: { stage: 'alpha', default: false },
  AuthorizeWithSelectors: { stage: 'alpha', default: false },
  ComponentFlagz: null,
  ComponentStatusz: null,
  CronJobsScheduledAnnotation: { stage: 'beta', default: true },
  DRAAdminAccess: null,
  DRAResourceClaimDeviceStatus: null,
  DynamicResourceAllocation: { stage: 'alpha', default: false },
  ExternalServiceAccountTokenSigner: null,
  InPlacePodVerticalScalingAllocatedStatus: null,
  JobManagedBy: { stage: 'alpha', default: false },
  KubeletFineGrainedAuthz: null,
  MutatingAdmissionPolicy: null,
  PodIndexLabel: { stage: 'beta', default: true },
  PodLevelResources: null,
  PodLogsQuerySplitStreams: null,
  RecoverVolumeExpansionFailure: { stage: 'alpha', default: false },
  RelaxedEnvironmentVariableValidation: { stage: 'alpha', default: false },
  RemoteRequestHeaderUID: null,
  SELinuxChangePolicy: null,
  SchedulerAsyncPreemption: null,
  SchedulerQueueingHints: { stage: 'beta', default: false },
  StatefulSetAutoDeletePVC: { stage: 'beta', default: true },
};

/** APIs that came with 1.32: whole versions, or resources of a version. */
const apisSince132: Readonly<Record<string, readonly string[] | 'all'>> = {
  'admissionregistration.k8s.io/v1alpha1': ['mutatingadmissionpolicies', 'mutatingadmissionpolicybindings'],
  'coordination.k8s.io/v1alpha2': 'all',
  'resource.k8s.io/v1beta1': 'all',
};

/** The gates of a table as they were in a minor version. */
export function gatesAt(
  minor: number,
  gates: Readonly<Record<string, FeatureGate>>,
): Readonly<Record<string, FeatureGate>> {
  if (minor >= currentMinor) return gates;
  const found = Object.entries(gates).map(([name, gate]) => [name, name in gatesOf131 ? gatesOf131[name] : gate]);
  return Object.fromEntries(found.filter(([, gate]) => gate !== null)) as Record<string, FeatureGate>;
}

/** What has to be set so that the gates of a table have the defaults of a minor version. */
export function defaultsAt(minor: number, gates: Readonly<Record<string, FeatureGate>>): GateSettings {
  const old = gatesAt(minor, gates);
  return Object.fromEntries(
    Object.entries(gates)
      .map(([name, gate]) => [name, gate.default, old[name]?.default ?? false] as const)
      .filter(([, now, then]) => now !== then)
      .map(([name, , then]) => [name, then]),
  );
}

/** The APIs that a minor version had. */
export const apisAt = (minor: number, versions: readonly GroupVersionInfo[]): GroupVersionInfo[] =>
  minor >= currentMinor ? [...versions] : versions.flatMap(withoutLater);

function withoutLater(info: GroupVersionInfo): GroupVersionInfo[] {
  const later = apisSince132[info.apiVersion];
  if (later === 'all') return [];
  if (later === undefined) return [info];
  const resources = info.resources.filter(({ name }) => !later.includes(name));
  return resources.length === 0 ? [] : [{ ...info, resources }];
}
