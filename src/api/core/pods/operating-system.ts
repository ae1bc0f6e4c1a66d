/**
 * Settings that exist on one operating system only.
 * @see {@link https://kubernetes.io/docs/concepts/workloads/pods/#pod-os | Pod OS}
 */
import type { PodSpec } from '../../gen/types/core-v1.ts';
import { forbidden, invalid, notSupported, required } from '../../../machinery/field-error.ts';
import type { FieldErrors } from '../../../machinery/field-errors.ts';
import type { FieldPath } from '../../../machinery/field-path.ts';
import { visitContainersWithPath } from './container-list.ts';
import type { PodValidationOptions } from './validation-option-types.ts';

const systems = ['linux', 'windows'];

export function checkOperatingSystem(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  if (spec.os === undefined) return;
  const { name } = spec.os;
  if (name === undefined) errors.push(required(path.child('os', 'name'), 'cannot be empty'));
  else if (!systems.includes(name)) errors.push(notSupported(path.child('os'), name, systems));
  else if (name === 'linux') checkLinux(spec, path, errors);
  else checkWindows(spec, path, errors);
}

function checkLinux(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const refuse = (at: FieldPath): void =>
    void errors.push(
      forbidden(at.child('securityContext', 'windowsOptions'), 'windows options cannot be set for a linux pod'),
    );
  if (spec.securityContext?.windowsOptions !== undefined) refuse(path);
  visitContainersWithPath(spec, path, ({ securityContext }, at) => {
    if (securityContext?.windowsOptions !== undefined) refuse(at);
  });
}

const linuxSpec = ['hostUsers', 'hostPID', 'hostIPC'] as const;
const linuxPod = ['appArmorProfile', 'seLinuxOptions'] as const;
const linuxPodMore = ['seccompProfile', 'fsGroup', 'fsGroupChangePolicy', 'sysctls'] as const;
const linuxPodIds = [
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seLinuxChangePolicy',
] as const;
const linuxContainer = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

/** `false` is a setting too; an empty list is none. */
const isSet = (value: unknown): boolean => value !== undefined && (!Array.isArray(value) || value.length > 0);

function checkWindows(spec: PodSpec, path: FieldPath, errors: FieldErrors): void {
  const refuse = <T extends object>(
    owner: T | undefined,
    members: readonly (keyof T & string)[],
    at: FieldPath,
  ): void => {
    for (const member of members)
      if (isSet(owner?.[member])) errors.push(forbidden(at.child(member), 'cannot be set for a windows pod'));
  };
  const at = path.child('securityContext');
  refuse(spec.securityContext, linuxPod, at);
  refuse(spec, linuxSpec, path);
  refuse(spec.securityContext, linuxPodMore, at);
  refuse(spec, ['shareProcessNamespace'], path);
  refuse(spec.securityContext, linuxPodIds, at);
  visitContainersWithPath(spec, path, ({ securityContext }, container) =>
    refuse(securityContext, linuxContainer, container.child('securityContext')),
  );
}

/** Windows containers that are processes of the host: all of a pod or none. */
export function checkHostProcess(
  spec: PodSpec,
  path: FieldPath,
  errors: FieldErrors,
  { allowPrivileged }: PodValidationOptions,
): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  visitContainersWithPath(spec, path, ({ securityContext }, at) => {
    containers++;
    const own = securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && ofPod !== own) {
      errors.push(
        invalid(
          at.child('securityContext', 'windowsOptions', 'hostProcess'),
          own,
          `pod hostProcess value must be identical if both are specified, was ${ofPod}`,
        ),
      );
    }
    if (own ?? ofPod === true) hostProcesses++;
  });
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers)
    errors.push(
      invalid(
        path,
        '',
        'If pod contains any hostProcess containers then all containers must be HostProcess containers',
      ),
    );
  if (spec.hostNetwork !== true)
    errors.push(
      invalid(path.child('hostNetwork'), false, 'hostNetwork must be true if pod contains any hostProcess containers'),
    );
  if (!allowPrivileged) errors.push(forbidden(path, 'hostProcess containers are disallowed by cluster policy'));
}
