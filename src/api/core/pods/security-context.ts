/**
 * Security settings of containers and of the whole pod.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/security-context/ | Security context}
 */
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { isGroupId, isUserId } from '../../../machinery/formats/numbers.ts';
import { invalidEach } from '../../meta/checks.ts';
import { checkAppArmorProfile } from './app-armor.ts';
import type { PodValidationOptions } from './validation-option-types.ts';
import { checkSeccompProfile } from './seccomp.ts';
import { checkSysctls } from './sysctls.ts';
import { checkWindowsOptions } from './windows-options.ts';
import { shownStruct } from '../../shown-struct.ts';

type Id = number | bigint | undefined;

const checkUser = (id: Id, path: FieldPath, errors: FieldErrors): void => {
  if (id !== undefined) invalidEach(isUserId(id), path, id, errors);
};

const checkGroup = (id: Id, path: FieldPath, errors: FieldErrors): void => {
  if (id !== undefined) invalidEach(isGroupId(id), path, id, errors);
};

const procMounts = ['Default', 'Unmasked'];

/** `hostUsers`: the pod has no user namespace of its own. */
export function checkSecurityContext(
  context: SecurityContext | undefined,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
  hostUsers: boolean,
): void {
  if (context === undefined) return;
  const { privileged, procMount } = context;
  if (privileged === true && !rules.allowPrivileged)
    errors.push(forbidden(path.child('privileged'), 'disallowed by cluster policy'));
  checkUser(context.runAsUser, path.child('runAsUser'), errors);
  checkGroup(context.runAsGroup, path.child('runAsGroup'), errors);
  if (procMount !== undefined && !procMounts.includes(procMount))
    errors.push(notSupported(path.child('procMount'), procMount, procMounts));
  if (procMount === 'Unmasked' && hostUsers)
    errors.push(invalid(path.child('procMount'), procMount, '`hostUsers` must be false to use `Unmasked`'));
  checkSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  if (context.allowPrivilegeEscalation === false) checkNoEscalation(context, path, errors);
  checkWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  checkAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
}

function checkNoEscalation(context: SecurityContext, path: FieldPath, errors: FieldErrors): void {
  const refuse = (what: string): void =>
    void errors.push(
      invalid(
        path,
        shownStruct('core/v1.SecurityContext', context),
        `cannot set \`allowPrivilegeEscalation\` to false and ${what}`,
      ),
    );
  if (context.privileged === true) refuse('`privileged` to true');
  context.capabilities?.add?.forEach((capability) => {
    if (capability === 'CAP_SYS_ADMIN') refuse('`capabilities.Add` CAP_SYS_ADMIN');
  });
}

const groupChangePolicies = ['Always', 'OnRootMismatch'];
const groupsPolicies = ['Merge', 'Strict'];

/** `path` is that of the security context. Host namespaces and process sharing lie beside it in the spec. */
export function checkPodSecurityContext(
  context: PodSecurityContext | undefined,
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  rules: PodValidationOptions,
): void {
  if (context === undefined) return;
  checkGroup(context.fsGroup, path.child('fsGroup'), errors);
  checkUser(context.runAsUser, path.child('runAsUser'), errors);
  checkGroup(context.runAsGroup, path.child('runAsGroup'), errors);
  context.supplementalGroups?.forEach((group, i) =>
    checkGroup(group, path.child('supplementalGroups').index(i), errors),
  );
  if (spec.shareProcessNamespace === true && spec.hostPID === true)
    errors.push(
      invalid(path.child('shareProcessNamespace'), true, 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  checkSysctls(context.sysctls, spec, path.child('sysctls'), errors, rules);
  checkPolicy(context.fsGroupChangePolicy, groupChangePolicies, path.child('fsGroupChangePolicy'), errors);
  checkSeccompProfile(context.seccompProfile, path.child('seccompProfile'), errors);
  checkWindowsOptions(context.windowsOptions, path.child('windowsOptions'), errors);
  checkAppArmorProfile(context.appArmorProfile, path.child('appArmorProfile'), errors);
  checkPolicy(context.supplementalGroupsPolicy, groupsPolicies, path.child('supplementalGroupsPolicy'), errors);
  checkPolicy(
    context.seLinuxChangePolicy,
    rules.onlyRecursiveSELinuxChange ? ['Recursive'] : ['MountOption', 'Recursive'],
    path.child('seLinuxChangePolicy'),
    errors,
  );
}

function checkPolicy(
  policy: string | undefined,
  supported: readonly string[],
  path: FieldPath,
  errors: FieldErrors,
): void {
  if (policy !== undefined && !supported.includes(policy)) errors.push(notSupported(path, policy, supported));
}

/** Whether containers see users as the host does: unless the pod asks for a user namespace. */
export const usesHostUsers = ({ hostUsers }: PodSpec): boolean => hostUsers !== false;

/** A user namespace goes with no other namespace of the host. */
export function checkUserNamespace(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  if (usesHostUsers(spec)) return;
  const detail = 'when `pod.Spec.HostUsers` is false';
  if (spec.hostNetwork === true) errors.push(forbidden(path.child('hostNetwork'), detail));
  if (spec.hostPID === true) errors.push(forbidden(path.child('HostPID'), detail));
  if (spec.hostIPC === true) errors.push(forbidden(path.child('HostIPC'), detail));
}
