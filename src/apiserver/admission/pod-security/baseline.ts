/**
 * The baseline standard: prevents known privilege escalations.
 * @see {@link https://kubernetes.io/docs/concepts/security/pod-security-standards/#baseline | Pod Security Standards:
 *   baseline}
 */
import { visitContainers } from '../../../api/core/pods/container-list.ts';
import { goQuote } from '../../../machinery/go-quote.ts';
import { named, namedContainers, one, quoted, setters } from './messages.ts';
import {
  annotationsOf,
  type Check,
  containersWhere,
  type Finding,
  isAnywhere,
  type PodView,
  settingsOf,
  whoSet,
} from './check.ts';

const profileTypes = ['RuntimeDefault', 'Localhost'];
export const isProfileAllowed = (type: string): boolean => profileTypes.includes(type);

const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

function appArmorProfile(pod: PodView): Finding | undefined {
  const found = settingsOf(pod.spec, ({ appArmorProfile }) => appArmorProfile?.type, isProfileAllowed);
  const annotations = annotationsOf(pod).filter(
    ([key, value]) =>
      key.startsWith(appArmorPrefix) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'),
  );
  if (!isAnywhere(found) && annotations.length === 0) return undefined;
  const who = [
    ...(isAnywhere(found) ? [whoSet(found)] : []),
    ...(annotations.length > 0 ? [one(annotations.length, 'annotation', 'annotations')] : []),
  ].join(' and ');
  const values = [...[...found.values].sort(), ...annotations.map(([key, value]) => `${key}=${goQuote(value)}`).sort()];
  return {
    reason: one(values.length, 'forbidden AppArmor profile', 'forbidden AppArmor profiles'),
    detail: `${who} must not set AppArmor profile type to ${values.map(goQuote).join(', ')}`,
  };
}

const baselineCapabilities = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** Containers that add capabilities which are not allowed, and which those are. */
export function addedCapabilities(
  { spec }: PodView,
  allowed: ReadonlySet<string>,
): { readonly names: readonly string[]; readonly capabilities: ReadonlySet<string> } {
  const capabilities = new Set<string>();
  const names = containersWhere(spec, ({ securityContext }) => {
    const bad = (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
    for (const capability of bad) capabilities.add(capability);
    return bad.length > 0;
  });
  return { names, capabilities };
}

function capabilities(pod: PodView): Finding | undefined {
  const { names, capabilities } = addedCapabilities(pod, baselineCapabilities);
  if (names.length === 0) return undefined;
  return {
    reason: 'non-default capabilities',
    detail: `${namedContainers(names)} must not include ${quoted(capabilities)} in securityContext.capabilities.add`,
  };
}

function hostNamespaces({ spec }: PodView): Finding | undefined {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field] === true);
  return used.length === 0
    ? undefined
    : { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
}

function hostPathVolumes({ spec }: PodView): Finding | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name ?? '');
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', names) };
}

function hostPorts({ spec }: PodView): Finding | undefined {
  const ports = new Set<string>();
  const names = containersWhere(spec, (container) => {
    const own = (container.ports ?? [])
      .filter(({ hostPort = 0 }) => hostPort !== 0)
      .map(({ hostPort }) => String(hostPort));
    for (const port of own) ports.add(port);
    return own.length > 0;
  });
  if (names.length === 0) return undefined;
  return {
    reason: 'hostPort',
    detail:
      `${namedContainers(names)} ${one(names.length, 'uses', 'use')} ` +
      `${one(ports.size, 'hostPort', 'hostPorts')} ${[...ports].sort().join(', ')}`,
  };
}

function privileged({ spec }: PodView): Finding | undefined {
  const names = containersWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  return names.length === 0
    ? undefined
    : { reason: 'privileged', detail: `${namedContainers(names)} must not set securityContext.privileged=true` };
}

function procMount({ spec }: PodView): Finding | undefined {
  const values = new Set<string>();
  const names = containersWhere(spec, ({ securityContext }) => {
    const value = securityContext?.procMount;
    if (value === undefined || value === 'Default') return false;
    values.add(value);
    return true;
  });
  return names.length === 0
    ? undefined
    : {
        reason: 'procMount',
        detail: `${namedContainers(names)} must not set securityContext.procMount to ${quoted(values)}`,
      };
}

const seLinuxTypes = ['container_t', 'container_init_t', 'container_kvm_t'];

const seLinuxOptions =
  (allowed: readonly string[]) =>
  ({ spec }: PodView): Finding | undefined => {
    const types = new Set<string>();
    let hasUser = false;
    let hasRole = false;
    const isBad = ({
      seLinuxOptions: options,
    }: {
      seLinuxOptions?: { type?: string; user?: string; role?: string };
    } = {}): boolean => {
      const { type = '', user = '', role = '' } = options ?? {};
      const isBadType = type !== '' && !allowed.includes(type);
      if (isBadType) types.add(type);
      hasUser ||= user !== '';
      hasRole ||= role !== '';
      return isBadType || user !== '' || role !== '';
    };
    const pod = isBad(spec.securityContext);
    const containers = containersWhere(spec, ({ securityContext }) => isBad(securityContext));
    if (!pod && containers.length === 0) return undefined;
    const bad = [
      ...(types.size > 0 ? [`${one(types.size, 'type', 'types')} ${quoted(types)}`] : []),
      ...(hasUser ? ['user may not be set'] : []),
      ...(hasRole ? ['role may not be set'] : []),
    ];
    return {
      reason: 'seLinuxOptions',
      detail: `${setters(pod, containers)} set forbidden securityContext.seLinuxOptions: ${bad.join('; ')}`,
    };
  };

const seccompPod = 'seccomp.security.alpha.kubernetes.io/pod';
const seccompContainer = 'container.seccomp.security.alpha.kubernetes.io/';

/** Before the field there were annotations. */
function seccompAnnotations(pod: PodView): Finding | undefined {
  const keys = new Set([seccompPod]);
  visitContainers(pod.spec, ({ name = '' }) => keys.add(seccompContainer + name));
  const bad = annotationsOf(pod).filter(
    ([key, value]) =>
      keys.has(key) && value !== 'runtime/default' && value !== 'docker/default' && !value.startsWith('localhost/'),
  );
  if (bad.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `forbidden ${one(bad.length, 'annotation', 'annotations')} ${bad
      .map(([key, value]) => `${key}=${goQuote(value)}`)
      .sort()
      .join(', ')}`,
  };
}

function seccompProfile({ spec }: PodView): Finding | undefined {
  const found = settingsOf(spec, ({ seccompProfile }) => seccompProfile?.type, isProfileAllowed);
  return isAnywhere(found)
    ? {
        reason: 'seccompProfile',
        detail: `${whoSet(found)} must not set securityContext.seccompProfile.type to ${quoted(found.values)}`,
      }
    : undefined;
}

const sysctls0 = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];
const sysctls27 = [...sysctls0, 'net.ipv4.ip_local_reserved_ports'];
const sysctls29 = [
  ...sysctls27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];
const sysctls32 = [...sysctls29, 'net.ipv4.tcp_rmem', 'net.ipv4.tcp_wmem'];

const sysctls =
  (allowed: readonly string[]) =>
  ({ spec }: PodView): Finding | undefined => {
    const bad = (spec.securityContext?.sysctls ?? [])
      .map(({ name = '' }) => name)
      .filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };

function windowsHostProcess({ spec }: PodView): Finding | undefined {
  const pod = spec.securityContext?.windowsOptions?.hostProcess === true;
  const containers = containersWhere(
    spec,
    ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true,
  );
  return pod || containers.length > 0
    ? {
        reason: 'hostProcess',
        detail: `${setters(pod, containers)} must not set securityContext.windowsOptions.hostProcess=true`,
      }
    : undefined;
}

const level = 'baseline';

/** In the order of their findings. */
export const baselineChecks: readonly Check[] = [
  { id: 'appArmorProfile', level, versions: [{ from: 0, run: appArmorProfile }] },
  { id: 'capabilities_baseline', level, versions: [{ from: 0, run: capabilities }] },
  { id: 'hostNamespaces', level, versions: [{ from: 0, run: hostNamespaces }] },
  { id: 'hostPathVolumes', level, versions: [{ from: 0, run: hostPathVolumes }] },
  { id: 'hostPorts', level, versions: [{ from: 0, run: hostPorts }] },
  { id: 'privileged', level, versions: [{ from: 0, run: privileged }] },
  { id: 'procMount', level, versions: [{ from: 0, run: procMount }] },
  {
    id: 'seLinuxOptions',
    level,
    versions: [
      { from: 0, run: seLinuxOptions(seLinuxTypes) },
      { from: 31, run: seLinuxOptions([...seLinuxTypes, 'container_engine_t']) },
    ],
  },
  {
    id: 'seccompProfile_baseline',
    level,
    versions: [
      { from: 0, run: seccompAnnotations },
      { from: 19, run: seccompProfile },
    ],
  },
  {
    id: 'sysctls',
    level,
    versions: [
      { from: 0, run: sysctls(sysctls0) },
      { from: 27, run: sysctls(sysctls27) },
      { from: 29, run: sysctls(sysctls29) },
      { from: 32, run: sysctls(sysctls32) },
    ],
  },
  { id: 'windowsHostProcess', level, versions: [{ from: 0, run: windowsHostProcess }] },
];
