/**
 * Fields of features that are off: dropped from what clients send, unless the stored object uses them already.
 * @see {@link
 *   https://github.com/kubernetes/community/blob/master/contributors/devel/sig-architecture/api_changes.md#alpha-field-in-existing-api-version
 *   | Alpha field in existing API version}
 */
import { type AnyContainer, isSidecar, someContainer, visitContainers } from '../../../api/core/pods/container-list.ts';
import { statusLists } from '../../../api/core/pods/status-lists.ts';
import type {
  Container,
  ContainerStatus,
  Lifecycle,
  LifecycleHandler,
  PodSpec,
  PodStatus,
  Volume,
} from '../../../api/gen/types/core-v1.ts';

type Enabled = (gate: string) => boolean;

interface DisabledFields {
  readonly gate: string;
  isUsed(old: PodSpec): boolean;
  drop(spec: PodSpec): void;
}

const features: readonly DisabledFields[] = [
  {
    gate: 'UserNamespacesSupport',
    isUsed: ({ hostUsers }) => hostUsers !== undefined,
    drop: (spec) => unset(spec, 'hostUsers'),
  },
  {
    gate: 'SupplementalGroupsPolicy',
    isUsed: usesGroupsPolicy,
    drop: ({ securityContext }) => unset(securityContext, 'supplementalGroupsPolicy'),
  },
  {
    gate: 'SELinuxChangePolicy',
    isUsed: ({ securityContext }) => securityContext?.seLinuxChangePolicy !== undefined,
    drop: ({ securityContext }) => unset(securityContext, 'seLinuxChangePolicy'),
  },
  {
    gate: 'PodLevelResources',
    isUsed: ({ resources }) => Object.keys({ ...resources?.limits, ...resources?.requests }).length > 0,
    drop: (spec) => unset(spec, 'resources'),
  },
  { gate: 'DynamicResourceAllocation', isUsed: usesResourceClaims, drop: dropResourceClaims },
  {
    gate: 'ClusterTrustBundleProjection',
    isUsed: ({ volumes }) => volumes?.some(hasTrustBundle) === true,
    drop: ({ volumes }) => volumes?.forEach(dropTrustBundles),
  },
  {
    gate: 'InPlacePodVerticalScaling',
    isUsed: usesResize,
    drop: (spec) => visitContainers(spec, (container) => unset(container, 'resizePolicy')),
  },
  {
    gate: 'SidecarContainers',
    isUsed: ({ initContainers }) => initContainers?.some(isSidecar) === true,
    drop: ({ initContainers }) => initContainers?.forEach((container) => unset(container, 'restartPolicy')),
  },
  {
    gate: 'RecursiveReadOnlyMounts',
    isUsed: usesRecursiveReadOnly,
    drop: (spec) => visitContainers(spec, dropRecursiveReadOnly),
  },
  {
    gate: 'PodLifecycleSleepAction',
    isUsed: (old) => someContainer(old, ({ lifecycle }) => sleeps(lifecycle)),
    drop: (spec) => visitContainers(spec, dropSleep),
  },
  { gate: 'ImageVolume', isUsed: ({ volumes }) => volumes?.some(isImage) === true, drop: dropImageVolumes },
];

export function dropDisabledFields(spec: PodSpec, old: PodSpec | undefined, enabled: Enabled): void {
  for (const feature of features)
    if (!enabled(feature.gate) && (old === undefined || !feature.isUsed(old))) feature.drop(spec);
  if (old === undefined || !someContainer(old, hasProcMount)) visitContainers(spec, setDefaultProcMount);
}

/** Writers leave out undefined members; a deleted one would make the object slow. */
function unset<T extends object>(object: T | undefined, member: keyof T): void {
  if (object?.[member] !== undefined) object[member] = undefined as never;
}

function usesGroupsPolicy({ securityContext }: PodSpec): boolean {
  return securityContext?.supplementalGroupsPolicy !== undefined;
}

function usesResourceClaims({ resourceClaims }: PodSpec): boolean {
  return (resourceClaims?.length ?? 0) > 0;
}

function dropResourceClaims(spec: PodSpec): void {
  unset(spec, 'resourceClaims');
  visitContainers(spec, ({ resources }) => unset(resources, 'claims'));
}

function usesResize(spec: PodSpec): boolean {
  return someContainer(spec, ({ resizePolicy }) => (resizePolicy?.length ?? 0) > 0);
}

function usesRecursiveReadOnly(spec: PodSpec): boolean {
  return someContainer(
    spec,
    ({ volumeMounts }) => volumeMounts?.some(({ recursiveReadOnly }) => recursiveReadOnly !== undefined) === true,
  );
}

function dropRecursiveReadOnly({ volumeMounts }: AnyContainer): void {
  volumeMounts?.forEach((mount) => unset(mount, 'recursiveReadOnly'));
}

function hasTrustBundle({ projected }: Volume): boolean {
  return projected?.sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined) === true;
}

function dropTrustBundles({ projected }: Volume): void {
  projected?.sources?.forEach((source) => unset(source, 'clusterTrustBundle'));
}

const isImage = ({ image }: Volume): boolean => image !== undefined;

function dropImageVolumes(spec: PodSpec): void {
  const { volumes } = spec;
  if (volumes?.some(isImage) !== true) return;
  const names = new Set(volumes.filter(isImage).map(({ name }) => name));
  spec.volumes = volumes.filter((volume) => !isImage(volume));
  visitContainers(spec, (container) => {
    container.volumeMounts &&= container.volumeMounts.filter(({ name }) => !names.has(name));
  });
}

const sleeps = (lifecycle: Lifecycle | undefined): boolean =>
  lifecycle?.preStop?.sleep !== undefined || lifecycle?.postStart?.sleep !== undefined;

/** A hook that did nothing else goes, and so does a lifecycle without hooks. */
function dropSleep(container: AnyContainer): void {
  const { lifecycle } = container;
  if (lifecycle === undefined || !sleeps(lifecycle)) return;
  for (const hook of ['preStop', 'postStart'] as const) {
    const handler = lifecycle[hook];
    if (handler?.sleep === undefined) continue;
    unset(handler, 'sleep');
    if (doesNothing(handler)) unset(lifecycle, hook);
  }
  if (lifecycle.preStop === undefined && lifecycle.postStart === undefined) unset(container as Container, 'lifecycle');
}

const doesNothing = ({ exec, httpGet, tcpSocket }: LifecycleHandler): boolean =>
  exec === undefined && httpGet === undefined && tcpSocket === undefined;

const hasProcMount = ({ securityContext }: AnyContainer): boolean =>
  securityContext?.procMount !== undefined && securityContext.procMount !== 'Default';

/** The one gate that is off for good here: a value stays, but only the default one. */
function setDefaultProcMount({ securityContext }: AnyContainer): void {
  if (securityContext?.procMount !== undefined) securityContext.procMount = 'Default';
}

/** `old` is the spec of the stored pod. */
export function dropDisabledStatusFields(status: PodStatus, old: PodSpec, enabled: Enabled): void {
  const drop = (...members: (keyof ContainerStatus)[]): void => {
    for (const list of statusLists)
      status[list]?.forEach((container) => members.forEach((member) => unset(container, member)));
  };
  if (!enabled('InPlacePodVerticalScaling') && !usesResize(old)) {
    drop('resources');
    unset(status, 'resize');
  }
  if (!enabled('InPlacePodVerticalScaling') || !enabled('InPlacePodVerticalScalingAllocatedStatus'))
    drop('allocatedResources');
  if (!enabled('DynamicResourceAllocation') && !usesResourceClaims(old)) unset(status, 'resourceClaimStatuses');
  if (!enabled('RecursiveReadOnlyMounts') && !usesRecursiveReadOnly(old)) drop('volumeMounts');
  if (!enabled('ResourceHealthStatus')) drop('allocatedResourcesStatus');
  if (!enabled('SupplementalGroupsPolicy') && !usesGroupsPolicy(old)) drop('user');
}
