/**
 * Kernel parameters that a pod may set: those that concern no other pod, and those that the configuration allows.
 * @see {@link https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/ | Using sysctls}
 */
import type { PodSpec } from '../../../api/gen/types/core-v1.ts';
import { hostNamespaceOf } from '../../../api/core/pods/sysctls.ts';
import type { AdmissionNode, Refusal } from './admission-request.ts';

/** With the version of the kernel since which each pod has its own. */
const safe: ReadonlyMap<string, string> = new Map([
  ['kernel.shm_rmid_forced', '0'],
  ['net.ipv4.ip_local_port_range', '0'],
  ['net.ipv4.tcp_syncookies', '0'],
  ['net.ipv4.ping_group_range', '0'],
  ['net.ipv4.ip_unprivileged_port_start', '0'],
  ['net.ipv4.ip_local_reserved_ports', '3.16'],
  ['net.ipv4.tcp_keepalive_time', '4.5'],
  ['net.ipv4.tcp_fin_timeout', '4.6'],
  ['net.ipv4.tcp_keepalive_intvl', '4.5'],
  ['net.ipv4.tcp_keepalive_probes', '4.5'],
  ['net.ipv4.tcp_rmem', '4.15'],
  ['net.ipv4.tcp_wmem', '4.15'],
]);

export function sysctlProblem(
  { securityContext, hostNetwork = false, hostIPC = false }: PodSpec,
  { kernelVersion, allowedUnsafeSysctls }: Pick<AdmissionNode, 'kernelVersion' | 'allowedUnsafeSysctls'>,
): Refusal | undefined {
  for (const { name: written = '' } of securityContext?.sysctls ?? []) {
    const name = written.replaceAll('/', '.');
    const since = safe.get(name);
    const isSafe = since !== undefined && isAtLeast(kernelVersion, since);
    if (!isSafe && !allowedUnsafeSysctls.some((pattern) => fits(name, pattern.replaceAll('/', '.'))))
      return forbidden(`"${written}" not allowlisted`);
    const namespace = hostNamespaceOf(name, { hostNetwork, hostIPC });
    if (namespace !== undefined)
      return forbidden(
        `"${written}" not allowed with host ${hostNetwork && name.startsWith('net.') ? 'net' : 'ipc'} enabled`,
      );
  }
  return undefined;
}

const forbidden = (why: string): Refusal => ({ reason: 'SysctlForbidden', message: `forbidden sysctl: ${why}` });

const fits = (name: string, pattern: string): boolean =>
  pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;

function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  const [wantedMajor = 0, wantedMinor = 0] = least.split('.').map(Number);
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
