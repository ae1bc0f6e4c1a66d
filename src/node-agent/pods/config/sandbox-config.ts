/** What the runtime is told of the sandbox of a pod: names, network, and where its logs go. */
import type { Container, Pod } from '../../../api/gen/types/core-v1.ts';
import type { PodSandboxConfig, PortMapping, UserNamespace } from '../../runtime/gen/cri.ts';
import type { ResolvConf } from './dns.ts';
import { kernelHostName, type HostName } from './host-name.ts';
import { cgroupPath, type CgroupSettings } from '../../resources/cgroups/cgroup-path.ts';
import { podLabels } from './labels.ts';
import { podCgroupName, sandboxResources } from './pod-resources.ts';
import type { ResourceSettings } from './resources.ts';
import { namespaceOptions, podGroups } from './security-context.ts';

export interface SandboxInput {
  readonly pod: Pod;
  /** How often the sandbox was made before. */
  readonly attempt: number;
  readonly hostName: HostName;
  readonly dns: ResolvConf;
  readonly podLogsDirectory: string;
  readonly resources: ResourceSettings;
  readonly cgroups: CgroupSettings;
  readonly cgroupsPerQos: boolean;
  readonly volumeGroups: readonly (number | bigint)[];
  /** Of the pod; undefined for those of the node. */
  readonly users?: UserNamespace | undefined;
}

export function sandboxConfig(input: SandboxInput): PodSandboxConfig {
  const { pod, attempt, hostName, dns, resources, cgroups } = input;
  const { metadata, spec } = pod;
  const { name = '', namespace = '', uid = '' } = metadata;
  const security = spec.securityContext ?? {};
  const selinux = security.seLinuxOptions;
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: spec.hostNetwork === true ? '' : kernelHostName(pod, hostName),
    logDirectory: podLogDirectory(input.podLogsDirectory, pod),
    dnsConfig: { servers: dns.servers, searches: dns.searches, options: dns.options },
    portMappings: (spec.containers ?? []).flatMap(portMappings),
    labels: { ...metadata.labels, ...podLabels(pod) },
    annotations: { ...metadata.annotations },
    linux: {
      ...(input.cgroupsPerQos ? { cgroupParent: cgroupPath(podCgroupName(spec, cgroupUid(pod)), cgroups) } : {}),
      sysctls: Object.fromEntries(
        (security.sysctls ?? []).map((sysctl) => [(sysctl.name ?? '').replaceAll('/', '.'), sysctl.value ?? '']),
      ),
      overhead: {},
      resources: sandboxResources(pod, resources),
      securityContext: {
        namespaceOptions: namespaceOptions(spec, input.users),
        privileged: hasPrivileged(pod),
        seccomp: { profileType: 'RuntimeDefault' },
        supplementalGroups: podGroups(security, input.volumeGroups),
        ...(security.runAsUser === undefined ? {} : { runAsUser: { value: security.runAsUser } }),
        ...(security.runAsGroup === undefined ? {} : { runAsGroup: { value: security.runAsGroup } }),
        ...(selinux === undefined
          ? {}
          : { selinuxOptions: { user: selinux.user, role: selinux.role, type: selinux.type, level: selinux.level } }),
      },
    },
  };
}

export const podLogDirectory = (logs: string, { metadata }: Pick<Pod, 'metadata'>): string =>
  `${logs}/${metadata.namespace}_${metadata.name}_${metadata.uid}`;

const cgroupUid = ({ metadata }: Pod): string => metadata.uid ?? '';

const hasPrivileged = ({ spec }: Pod): boolean =>
  [...(spec.initContainers ?? []), ...(spec.containers ?? [])].some(
    ({ securityContext }) => securityContext?.privileged === true,
  );

const portMappings = ({ ports = [] }: Container): PortMapping[] =>
  ports.map(({ protocol = 'TCP', containerPort = 0, hostPort = 0, hostIP = '' }) => ({
    protocol: protocol as 'TCP' | 'UDP' | 'SCTP',
    containerPort,
    hostPort,
    hostIp: hostIP,
  }));
