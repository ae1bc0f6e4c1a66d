/**
 * The three lists of containers: those of the pod, those that run before them, and those added for debugging.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/init-containers/ | Init containers}
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/ephemeral-containers/ | Ephemeral containers}
 */
import type { Container, EphemeralContainer, PodSpec } from '../../gen/types/core-v1.ts';
import { duplicate, forbidden, invalid, notFound, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isDns1123Label } from '../../../machinery/formats/names.ts';
import { checkFormat, checkRequiredText } from '../../meta/checks.ts';
import { type AnyContainer, isSidecar } from './container-list.ts';
import { checkRequirements, checkResizePolicy } from './container-resources.ts';
import { checkEnv, checkEnvFrom } from './env.ts';
import { checkLifecycle, checkProbes } from './handlers.ts';
import { checkVolumeDevices, checkVolumeMounts } from './mounts.ts';
import { checkContainerPorts, checkHostPortConflicts } from './ports.ts';
import { checkPullPolicy } from './pull-policy.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { checkSecurityContext } from './security-context.ts';
import type { KnownVolumes } from './volumes.ts';
import { shownStructs } from '../../shown-struct.ts';

/** What containers refer to in their pod. */
export interface ContainerScope {
  readonly spec: PodSpec;
  readonly rules: PodValidationOptions;
  readonly volumes: KnownVolumes;
  readonly claims: ReadonlySet<string>;
  readonly hostUsers: boolean;
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];

/** What holds for containers of all kinds. */
function checkContainer(
  container: AnyContainer,
  path: FieldPath,
  errors: FieldErrors,
  { spec, rules, volumes, claims, hostUsers }: ContainerScope,
): void {
  const { name, image, terminationMessagePolicy: policy } = container;
  if (checkRequiredText(name, path.child('name'), errors))
    checkFormat(isDns1123Label, name!, path.child('name'), errors);
  checkRequiredText(image, path.child('image'), errors);
  if (checkRequiredText(policy, path.child('terminationMessagePolicy'), errors) && !messagePolicies.includes(policy!)) {
    errors.push(notSupported(path.child('terminationMessagePolicy'), policy, messagePolicies));
  }
  checkContainerPorts(container.ports, path.child('ports'), errors);
  checkEnv(container.env, path.child('env'), errors, rules);
  checkEnvFrom(container.envFrom, path.child('envFrom'), errors, rules);
  checkVolumeMounts(container, volumes, path.child('volumeMounts'), errors);
  checkVolumeDevices(container, volumes, path.child('volumeDevices'), errors);
  checkPullPolicy(container.imagePullPolicy, path.child('imagePullPolicy'), errors);
  checkRequirements(container.resources, path.child('resources'), errors, { rules, claims });
  checkResizePolicy(container.resizePolicy, spec.restartPolicy, path.child('resizePolicy'), errors);
  checkSecurityContext(container.securityContext, path.child('securityContext'), errors, rules, hostUsers);
}

export function checkContainers(
  containers: readonly Container[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  scope: ContainerScope,
): void {
  if (containers === undefined || containers.length === 0) return void errors.push(required(path));
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const { name = '', restartPolicy } = container;
    const at = path.index(i);
    checkContainer(container, at, errors, scope);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    checkHandlers(container, at, errors, scope);
    if (restartPolicy !== undefined)
      errors.push(forbidden(at.child('restartPolicy'), 'may not be set for non-init containers'));
  });
  checkHostPortConflicts(containers, path, errors);
}

function checkHandlers(
  container: Container,
  path: FieldPath,
  errors: FieldErrors,
  { spec, rules }: ContainerScope,
): void {
  const handlerRules = { gracePeriod: spec.terminationGracePeriodSeconds, sleepZero: rules.sleepZero };
  if (container.lifecycle !== undefined)
    checkLifecycle(container.lifecycle, path.child('lifecycle'), errors, handlerRules);
  checkProbes(container, path, errors, handlerRules);
}

const namesOf = (...lists: (readonly Container[] | undefined)[]): Set<string> =>
  new Set(lists.flatMap((list) => list?.map(({ name = '' }) => name) ?? []));

export function checkInitContainers(
  containers: readonly Container[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  scope: ContainerScope,
): void {
  if (containers === undefined) return;
  const names = namesOf(scope.spec.containers);
  containers.forEach((container, i) => {
    const { name = '', restartPolicy, resizePolicy } = container;
    const at = path.index(i);
    checkContainer(container, at, errors, scope);
    if (restartPolicy !== undefined && restartPolicy !== 'Always')
      errors.push(notSupported(at.child('restartPolicy'), restartPolicy, ['Always']));
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    else if (name !== '') names.add(name);
    // Init containers run one after the other and may use the same port.
    checkHostPortConflicts([container], path, errors);
    if (isSidecar(container)) checkHandlers(container, at, errors, scope);
    else refuseHandlers(container, at, errors);
    if (!scope.rules.initContainerResizePolicy && (resizePolicy?.length ?? 0) > 0) {
      errors.push(
        invalid(
          at.child('resizePolicy'),
          shownStructs('core/v1.ContainerResizePolicy', resizePolicy),
          'must not be set for init containers',
        ),
      );
    }
  });
}

const handlers = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

function refuseHandlers(container: Container, path: FieldPath, errors: FieldErrors): void {
  for (const handler of handlers) {
    if (container[handler] !== undefined)
      errors.push(forbidden(path.child(handler), 'may not be set for init containers without restartPolicy=Always'));
  }
}

/** What a container that only looks around may not have. */
const notForEphemeral = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;
const refusedText = 'cannot be set for an Ephemeral Container';

export function checkEphemeralContainers(
  containers: readonly EphemeralContainer[] | undefined,
  path: FieldPath,
  errors: FieldErrors,
  scope: ContainerScope,
): void {
  if (containers === undefined || containers.length === 0) return;
  const others = namesOf(scope.spec.containers, scope.spec.initContainers);
  const names = new Set(others);
  containers.forEach((container, i) => {
    const { name = '', targetContainerName: target } = container;
    const at = path.index(i);
    checkContainer(container, at, errors, scope);
    checkImageSpaces(container, at, errors);
    if (names.has(name)) errors.push(duplicate(at.child('name'), name));
    names.add(name);
    if (target !== undefined && !others.has(target)) errors.push(notFound(at.child('targetContainerName'), target));
    for (const member of notForEphemeral)
      if (isSet(container, member)) errors.push(forbidden(at.child(member), refusedText));
    checkNoSubPaths(container, at.child('volumeMounts'), errors);
  });
}

/** `resources` is always there, empty when nothing is asked for. */
const isSet = (container: EphemeralContainer, member: (typeof notForEphemeral)[number]): boolean =>
  member === 'resources'
    ? Object.values(container.resources).some((list) => list !== undefined)
    : container[member] !== undefined;

function checkNoSubPaths({ volumeMounts }: EphemeralContainer, path: FieldPath, errors: FieldErrors): void {
  volumeMounts?.forEach(({ subPath, subPathExpr }, i) => {
    if (subPath !== undefined) errors.push(forbidden(path.index(i).child('subPath'), refusedText));
    if (subPathExpr !== undefined) errors.push(forbidden(path.index(i).child('subPathExpr'), refusedText));
  });
}

/** Templates may have spaces around the name of an image, pods may not. */
export function checkImageSpaces({ image = '' }: AnyContainer, path: FieldPath, errors: FieldErrors): void {
  if (image !== image.trim())
    errors.push(invalid(path.child('image'), image, 'must not have leading or trailing whitespace'));
}
