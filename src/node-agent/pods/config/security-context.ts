/**
 * Under which rights a container runs: what its own security context says, else that of its pod, else the defaults.
 * @see {@link https://kubernetes.io/docs/tasks/configure-pod-container/security-context/ | Security context}
 */
import type {
  AppArmorProfile,
  Container,
  EphemeralContainer,
  PodSecurityContext,
  PodSpec,
  SeccompProfile,
  SecurityContext,
} from '../../../api/gen/types/core-v1.ts';
import type {
  LinuxContainerSecurityContext,
  NamespaceOption,
  SecurityProfile,
  UserNamespace,
} from '../../runtime/gen/cri.ts';
import { ContainerConfigError } from './container-config-error.ts';

/** What the image says of its user. */
export interface ImageUser {
  readonly uid?: bigint | undefined;
  readonly username?: string | undefined;
}

export interface SecurityInput {
  readonly spec: PodSpec;
  readonly container: Container | EphemeralContainer;
  /** Of the image. */
  readonly image: ImageUser;
  /** `<name>_<namespace>(<uid>)`, for messages. */
  readonly podText: string;
  /** Of the container whose processes an ephemeral container sees. */
  readonly targetId?: string | undefined;
  /** Of the pod; undefined for those of the node. */
  readonly users?: UserNamespace | undefined;
  /** `{rootDir}/seccomp` */
  readonly seccompDirectory: string;
  readonly seccompDefault: boolean;
  /** Groups that volumes ask for. */
  readonly volumeGroups: readonly (number | bigint)[];
}

const maskedPaths = [
  '/proc/asound',
  '/proc/acpi',
  '/proc/interrupts',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const readonlyPaths = ['/proc/bus', '/proc/fs', '/proc/irq', '/proc/sys', '/proc/sysrq-trigger'];

/** Throws `ContainerConfigError` where the container would run as root and must not. */
export function containerSecurity(input: SecurityInput): LinuxContainerSecurityContext {
  const { spec, container, image, seccompDirectory, seccompDefault } = input;
  const own: SecurityContext = container.securityContext ?? {};
  const ofPod: PodSecurityContext = spec.securityContext ?? {};
  const runAsUser = own.runAsUser ?? ofPod.runAsUser;
  const runAsGroup = own.runAsGroup ?? ofPod.runAsGroup;
  refuseRoot(input, runAsUser);
  const selinux = own.seLinuxOptions ?? ofPod.seLinuxOptions;
  const isUnmasked = own.procMount === 'Unmasked';
  const seccomp = seccompProfile(own.seccompProfile ?? ofPod.seccompProfile, seccompDirectory, seccompDefault);
  const apparmor = own.appArmorProfile ?? ofPod.appArmorProfile;
  return {
    ...(own.capabilities === undefined
      ? {}
      : { capabilities: { addCapabilities: own.capabilities.add, dropCapabilities: own.capabilities.drop } }),
    privileged: own.privileged === true,
    namespaceOptions: namespaceOptions(spec, input.users, input.targetId),
    ...(selinux === undefined
      ? {}
      : { selinuxOptions: { user: selinux.user, role: selinux.role, type: selinux.type, level: selinux.level } }),
    ...userOf(runAsUser, image),
    ...(runAsGroup === undefined ? {} : { runAsGroup: { value: runAsGroup } }),
    readonlyRootfs: own.readOnlyRootFilesystem === true,
    supplementalGroups: podGroups(ofPod, input.volumeGroups),
    ...(ofPod.supplementalGroupsPolicy === undefined
      ? {}
      : { supplementalGroupsPolicy: ofPod.supplementalGroupsPolicy as 'Merge' | 'Strict' }),
    noNewPrivs: own.allowPrivilegeEscalation === false,
    maskedPaths: isUnmasked ? [] : maskedPaths,
    readonlyPaths: isUnmasked ? [] : readonlyPaths,
    seccomp,
    ...(apparmor === undefined ? {} : appArmor(apparmor)),
  };
}

function userOf(
  runAsUser: number | bigint | undefined,
  { uid, username }: ImageUser,
): Pick<LinuxContainerSecurityContext, 'runAsUser' | 'runAsUsername'> {
  if (runAsUser !== undefined) return { runAsUser: { value: runAsUser } };
  if (uid !== undefined) return { runAsUser: { value: uid } };
  return username === undefined || username === '' ? {} : { runAsUsername: username };
}

function refuseRoot({ spec, container, image, podText }: SecurityInput, runAsUser: number | bigint | undefined): void {
  const mustNot = container.securityContext?.runAsNonRoot ?? spec.securityContext?.runAsNonRoot;
  if (mustNot !== true) return;
  const where = `(pod: "${podText}", container: ${container.name})`;
  if (runAsUser !== undefined) {
    if (Number(runAsUser) === 0)
      throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  const { uid, username } = image;
  if (uid === 0n || (uid === undefined && (username === undefined || username === '')))
    throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  if (uid === undefined)
    throw new ContainerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${username}), ` +
        `cannot verify user is non-root ${where}`,
    );
}

export function podGroups(
  { fsGroup, supplementalGroups = [] }: PodSecurityContext,
  volumeGroups: readonly (number | bigint)[],
): (number | bigint)[] {
  return [...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups, ...volumeGroups];
}

/** @param users of the pod; undefined for those of the node, where the runtime need not know of others */
export function namespaceOptions(spec: PodSpec, users?: UserNamespace, targetId?: string): NamespaceOption {
  const pid = spec.hostPID === true ? 'NODE' : spec.shareProcessNamespace === true ? 'POD' : 'CONTAINER';
  return {
    network: spec.hostNetwork === true ? 'NODE' : 'POD',
    ipc: spec.hostIPC === true ? 'NODE' : 'POD',
    ...(targetId === undefined ? { pid } : { pid: 'TARGET', targetId }),
    ...(users === undefined ? {} : { usernsOptions: users }),
  };
}

export function seccompProfile(
  profile: SeccompProfile | undefined,
  directory: string,
  isDefault: boolean,
): SecurityProfile {
  switch (profile?.type) {
    case 'RuntimeDefault':
      return { profileType: 'RuntimeDefault' };
    case 'Localhost':
      return { profileType: 'Localhost', localhostRef: `${directory}/${profile.localhostProfile}` };
    case 'Unconfined':
      return { profileType: 'Unconfined' };
    default:
      return { profileType: isDefault ? 'RuntimeDefault' : 'Unconfined' };
  }
}

function appArmor({ type, localhostProfile = '' }: AppArmorProfile): {
  apparmor: SecurityProfile;
  apparmorProfile: string;
} {
  switch (type) {
    case 'Localhost':
      return {
        apparmor: { profileType: 'Localhost', localhostRef: localhostProfile },
        apparmorProfile: `localhost/${localhostProfile}`,
      };
    case 'Unconfined':
      return { apparmor: { profileType: 'Unconfined' }, apparmorProfile: 'unconfined' };
    default:
      return { apparmor: { profileType: 'RuntimeDefault' }, apparmorProfile: 'runtime/default' };
  }
}
