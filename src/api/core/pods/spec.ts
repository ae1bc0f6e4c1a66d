/** Rules of pod specs, in pods and in the templates of them. */
import type { PodReadinessGate, PodSchedulingGate, PodSpec } from '../../gen/types/core-v1.ts';
import { duplicate, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label, isDns1123Subdomain, isQualifiedName } from '../../../machinery/formats/names.ts';
import { isInRange, maxInt32 } from '../../../machinery/formats/numbers.ts';
import { checkFormat, checkRequiredText, invalidEach } from '../../meta/checks.ts';
import { checkLabels } from '../../meta/labels.ts';
import { checkAffinity } from './affinity.ts';
import { checkRequirements } from './container-resources.ts';
import { checkContainers, checkEphemeralContainers, checkInitContainers, type ContainerScope } from './containers.ts';
import { checkDnsConfig, checkDnsPolicy, checkHostAliases } from './dns.ts';
import { checkHostProcess, checkOperatingSystem } from './operating-system.ts';
import { checkPodResources } from './pod-resources.ts';
import { checkHostNetworkPorts } from './ports.ts';
import { checkResourceClaims, claimNames } from './resource-claims.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { checkPodSecurityContext, checkUserNamespace, usesHostUsers } from './security-context.ts';
import { checkTolerations } from './tolerations.ts';
import { checkTopologySpread } from './topology-spread.ts';
import { checkVolumes } from './volumes.ts';

/** `podName` is that of the pod; a template has none. */
export function checkPodSpec(
  spec: PodSpec,
  podName: string | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (spec.terminationGracePeriodSeconds === undefined)
    errors.push(required(path.child('terminationGracePeriodSeconds')));
  const volumes = checkVolumes(spec.volumes, podName, path.child('volumes'), errors, rules);
  const scope: ContainerScope = {
    spec,
    rules,
    volumes,
    claims: claimNames(spec.resourceClaims),
    hostUsers: usesHostUsers(spec),
  };
  checkResourceClaims(spec.resourceClaims, path.child('resourceClaims'), errors);
  checkContainers(spec.containers, path.child('containers'), errors, scope);
  checkInitContainers(spec.initContainers, path.child('initContainers'), errors, scope);
  checkEphemeralContainers(spec.ephemeralContainers, path.child('ephemeralContainers'), errors, scope);
  if (rules.podLevelResources) checkPodResources(spec, path.child('resources'), errors, rules, scope.claims);
  checkHostNetworkPorts(spec, rules.isPod, path, errors);
  checkSettings(spec, path, errors, rules);
  checkNames(spec, path, errors);
  checkPlacement(spec, path, errors, rules);
  checkOperatingSystem(spec, path, errors);
}

function checkSettings(spec: PodSpec, path: FieldPath, errors: FieldErrors, rules: PodValidationOptions): void {
  checkEnum(spec.restartPolicy, restartPolicies, path.child('restartPolicy'), errors);
  checkDnsPolicy(spec.dnsPolicy, path.child('dnsPolicy'), errors);
  checkLabels(spec.nodeSelector, path.child('nodeSelector'), errors);
  checkPodSecurityContext(spec.securityContext, spec, path.child('securityContext'), errors, rules);
  checkAffinity(spec.affinity, path.child('affinity'), errors, rules);
  checkDnsConfig(spec.dnsConfig, spec.dnsPolicy, path.child('dnsConfig'), errors, rules);
  checkReadinessGates(spec.readinessGates, path.child('readinessGates'), errors);
  checkSchedulingGates(spec.schedulingGates, path.child('schedulingGates'), errors);
  checkTopologySpread(spec.topologySpreadConstraints, path.child('topologySpreadConstraints'), errors, rules);
  checkHostProcess(spec, path, errors, rules);
  checkUserNamespace(spec, path, errors);
}

function checkNames(
  { serviceAccountName = '', nodeName = '', activeDeadlineSeconds: deadline, hostname = '', subdomain = '' }: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (serviceAccountName !== '')
    checkFormat(isDns1123Subdomain, serviceAccountName, path.child('serviceAccountName'), errors);
  if (nodeName !== '') checkFormat(isDns1123Subdomain, nodeName, path.child('nodeName'), errors);
  if (deadline !== undefined)
    invalidEach(isInRange(deadline, 1, maxInt32), path.child('activeDeadlineSeconds'), deadline, errors);
  if (hostname !== '') checkFormat(isDns1123Label, hostname, path.child('hostname'), errors);
  if (subdomain !== '') checkFormat(isDns1123Label, subdomain, path.child('subdomain'), errors);
}

function checkPlacement(spec: PodSpec, path: FieldPath, errors: FieldErrors, rules: PodValidationOptions): void {
  const { priorityClassName = '', runtimeClassName, preemptionPolicy, overhead } = spec;
  checkTolerations(spec.tolerations, path.child('tolerations'), errors);
  checkHostAliases(spec.hostAliases, path.child('hostAliases'), errors);
  if (priorityClassName !== '')
    checkFormat(isDns1123Subdomain, priorityClassName, path.child('priorityClassName'), errors);
  if (runtimeClassName !== undefined)
    checkFormat(isDns1123Subdomain, runtimeClassName, path.child('runtimeClassName'), errors);
  if (preemptionPolicy !== undefined)
    checkEnum(preemptionPolicy, preemptionPolicies, path.child('preemptionPolicy'), errors);
  // Overhead comes on top as a limit does, which its errors say.
  if (overhead !== undefined)
    checkRequirements({ limits: overhead }, path.child('overhead'), errors, { rules, claims: claimNames(undefined) });
}

const restartPolicies = ['Always', 'OnFailure', 'Never'];
const preemptionPolicies = ['PreemptLowerPriority', 'Never'];

function checkEnum(
  value: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (checkRequiredText(value, path, errors) && !supported.includes(value!))
    errors.push(notSupported(path, value, supported));
}

function checkReadinessGates(
  gates: readonly PodReadinessGate[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  gates?.forEach(({ conditionType = '' }, i) =>
    checkFormat(isQualifiedName, conditionType, path.index(i).child('conditionType'), errors),
  );
}

function checkSchedulingGates(
  gates: readonly PodSchedulingGate[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
): void {
  const names = new Set<string>();
  gates?.forEach(({ name = '' }, i) => {
    checkFormat(isQualifiedName, name, path.index(i), errors);
    if (names.has(name)) errors.push(duplicate(path.index(i), name));
    names.add(name);
  });
}
