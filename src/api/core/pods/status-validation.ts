/** Rules of the status of pods, which nodes report. */
import type {
  Container,
  ContainerStatus,
  LinuxContainerUser,
  Pod,
  PodCondition,
  PodResourceClaim,
  PodResourceClaimStatus,
  PodSpec,
  ResourceStatus,
  RestartPolicy,
} from '../../gen/types/core-v1.ts';
import { duplicate, forbidden, invalid, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Subdomain, isQualifiedName } from '../../../machinery/formats/names.ts';
import { isGroupId, isUserId } from '../../../machinery/formats/numbers.ts';
import { checkFormat, checkImmutable, invalidEach } from '../../meta/checks.ts';
import { metadataPath, validateBuiltInMetaUpdate } from '../../meta/object-meta.ts';
import { shownResource } from '../resources/resource-amounts.ts';
import { checkPodAnnotationsUpdate } from './annotations.ts';
import { isSidecar } from './container-list.ts';
import { checkHostIps, checkPodIps } from './pod-ips.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { statusLists } from './status-lists.ts';
import { annotationsPath } from './validation.ts';

const statusPath = FieldPath.of('status');

export function validatePodStatusUpdate(pod: Pod, old: Pod, rules: PodValidationOptions): FieldErrors {
  const errors = validateBuiltInMetaUpdate(pod.metadata, old.metadata);
  const { spec, status } = pod;
  checkPodAnnotationsUpdate(pod.metadata.annotations, old.metadata.annotations, spec, annotationsPath, errors, rules);
  checkConditions(status.conditions, metadataPath.child('conditions'), errors);
  if (spec.nodeName !== old.spec.nodeName)
    errors.push(forbidden(statusPath.child('nodeName'), 'may not be changed directly'));
  const { nominatedNodeName = '' } = status;
  if (nominatedNodeName !== '' && nominatedNodeName !== old.status.nominatedNodeName)
    checkFormat(isDns1123Subdomain, nominatedNodeName, statusPath.child('nominatedNodeName'), errors);
  checkImmutable(status.qosClass ?? '', old.status.qosClass ?? '', statusPath.child('qosClass'), errors);
  checkTransitions(pod, old, errors);
  checkClaimStatuses(
    status.resourceClaimStatuses,
    spec.resourceClaims,
    statusPath.child('resourceClaimStatuses'),
    errors,
  );
  checkPodIps(status.podIPs, statusPath.child('podIPs'), errors);
  checkHostIps(status, statusPath.child('hostIPs'), errors);
  for (const list of statusLists) checkUsers(status[list], spec, statusPath.child(list), errors);
  checkAllocated(status.containerStatuses, spec.containers, statusPath.child('containerStatuses'), errors);
  checkAllocated(status.initContainerStatuses, spec.initContainers, statusPath.child('initContainerStatuses'), errors);
  checkNothingAllocated(status.ephemeralContainerStatuses, statusPath.child('ephemeralContainerStatuses'), errors);
  return errors;
}

const systemConditions = ['PodScheduled', 'Ready', 'Initialized'];

/** Their path begins in the metadata, and the type has a capital: clients may match on it. */
function checkConditions(conditions: readonly PodCondition[] | undefined, path: FieldPath, errors: FieldErrors): void {
  conditions?.forEach(({ type = '' }, i) => {
    if (!systemConditions.includes(type)) checkFormat(isQualifiedName, type, path.index(i).child('Type'), errors);
  });
}

/** What has ended stays ended, unless the pod restarts it. */
function checkTransitions({ status }: Pod, old: Pod, errors: FieldErrors): void {
  const { spec } = old;
  const sidecars = new Set(spec.initContainers?.filter(isSidecar).map(({ name }) => name));
  const restarts: { [List in (typeof statusLists)[number]]: (name: string | undefined) => RestartPolicy | undefined } =
    {
      containerStatuses: () => spec.restartPolicy,
      initContainerStatuses: (name) => (sidecars.has(name) ? 'Always' : spec.restartPolicy),
      ephemeralContainerStatuses: () => 'Never',
    };
  for (const list of statusLists) {
    const goingOn = countByName(status[list]?.filter(({ state }) => state.terminated === undefined));
    old.status[list]?.forEach(({ name, state: { terminated } }, i) => {
      if (terminated === undefined || mayRestart(restarts[list](name), terminated.exitCode)) return;
      for (let count = goingOn.get(name) ?? 0; count > 0; count--)
        errors.push(
          forbidden(statusPath.child(list).index(i).child('state'), 'may not be transitioned to non-terminated state'),
        );
    });
  }
}

function countByName(statuses: readonly ContainerStatus[] | undefined): ReadonlyMap<string | undefined, number> {
  const counts = new Map<string | undefined, number>();
  for (const { name } of statuses ?? []) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

const mayRestart = (policy: RestartPolicy | undefined, exitCode = 0): boolean =>
  policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0);

function checkClaimStatuses(
  statuses: readonly PodResourceClaimStatus[] | undefined,
  claims: readonly PodResourceClaim[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  const known = new Set(claims?.map(({ name = '' }) => name));
  statuses?.forEach(({ name = '', resourceClaimName }, i) => {
    const at = path.index(i).child('name');
    if (!known.has(name)) errors.push(invalid(at, name, 'must match the name of an entry in `spec.resourceClaims`'));
    if (names.has(name)) errors.push(duplicate(at, name));
    names.add(name);
    if (resourceClaimName !== undefined) checkFormat(isDns1123Subdomain, resourceClaimName, at, errors);
  });
}

function checkUsers(
  statuses: readonly ContainerStatus[] | undefined,
  { os }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  statuses?.forEach(({ user }, i) => {
    if (user?.linux === undefined) return;
    const at = path.index(i).child('linux');
    if (os?.name === 'windows') errors.push(forbidden(at, 'cannot be set for a windows pod'));
    else if (os === undefined || os.name === 'linux') checkLinuxUser(user.linux, at, errors);
  });
}

function checkLinuxUser(
  { uid = 0, gid = 0, supplementalGroups }: LinuxContainerUser,
  path: FieldPath,
  errors: FieldErrors,
): void {
  invalidEach(isUserId(uid), path.child('uid'), uid, errors);
  invalidEach(isGroupId(gid), path.child('gid'), gid, errors);
  supplementalGroups?.forEach((group, i) =>
    invalidEach(isGroupId(group), path.child('supplementalGroups').index(i), group, errors),
  );
}

/** @see {@link https://kep.k8s.io/4680 | KEP-4680: health of devices} */
function checkAllocated(
  statuses: readonly ContainerStatus[] | undefined,
  containers: readonly Container[] = [],
  path: FieldPath,
  errors: FieldErrors,
): void {
  // Of containers with one name the first counts.
  const byName = new Map(containers.toReversed().map((container) => [container.name, askedFor(container)]));
  statuses?.forEach(({ name, allocatedResourcesStatus }, i) =>
    allocatedResourcesStatus?.forEach((resource, j) => {
      const at = path.index(i).child('allocatedResourcesStatus').index(j);
      const asked = byName.get(name);
      if (asked !== undefined) checkIsAskedFor(resource.name ?? '', asked, at.child('name'), errors);
      checkHealth(resource, at.child('resources'), errors);
    }),
  );
}

/** What a container asks for; claims as a status names them. */
const askedFor = ({ resources: { requests, claims } }: Container): ReadonlySet<string> =>
  new Set([
    ...Object.keys(requests ?? {}).filter((name) => !name.startsWith('claim:')),
    ...(claims ?? []).map((claim) => `claim:${[claim.name, claim.request].filter(Boolean).join('/')}`),
  ]);

function checkIsAskedFor(name: string, asked: ReadonlySet<string>, path: FieldPath, errors: FieldErrors): void {
  if (asked.has(name)) return;
  if (!name.startsWith('claim:'))
    errors.push(invalid(path, shownResource(name), "must match one of the container's resource requests"));
  else {
    errors.push(
      invalid(
        path,
        shownResource(name),
        "must match one of the container's resource claims in a format 'claim:<claimName>/<request>' or " +
          "'claim:<claimName>' if request is empty",
      ),
    );
  }
}

const healths = ['Healthy', 'Unhealthy', 'Unknown'];

function checkHealth({ resources }: ResourceStatus, path: FieldPath, errors: FieldErrors): void {
  const ids = new Set<string>();
  resources?.forEach(({ resourceID = '', health = '' }, i) => {
    if (!healths.includes(health)) errors.push(notSupported(path.index(i).child('health'), health, healths));
    if (ids.has(resourceID)) errors.push(duplicate(path.index(i).child('resourceID'), resourceID));
    ids.add(resourceID);
  });
}

function checkNothingAllocated(
  statuses: readonly ContainerStatus[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  statuses?.forEach(({ allocatedResourcesStatus }, i) => {
    if ((allocatedResourcesStatus?.length ?? 0) > 0)
      errors.push(
        forbidden(path.index(i).child('allocatedResourcesStatus'), 'must not be specified in container status'),
      );
  });
}
