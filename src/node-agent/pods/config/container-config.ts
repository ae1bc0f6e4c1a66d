/** What the runtime is told of a container. */
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import type { PodContainer } from '../../pod-lifecycle/containers.ts';
import type { ContainerGrant } from '../../resources/pod-allocations.ts';
import type { ContainerConfig, Device, Mount } from '../../runtime/gen/cri.ts';
import { expanded } from './expansion.ts';
import { containerAnnotations, containerNameLabel, podLabels } from './labels.ts';
import { containerResources, type ResourceSettings } from './resources.ts';
import { containerSecurity, type SecurityInput } from './security-context.ts';

export interface ContainerConfigInput extends Omit<SecurityInput, 'spec' | 'container' | 'podText'> {
  readonly pod: Pod;
  readonly container: PodContainer;
  readonly restartCount: number;
  /** As the runtime names the image. */
  readonly imageRef: string;
  readonly environment: ReadonlyMap<string, string>;
  readonly mounts: readonly Mount[];
  readonly devices: readonly Device[];
  readonly resources: ResourceSettings;
  readonly grant: ContainerGrant;
}

export function containerConfig(input: ContainerConfigInput): ContainerConfig {
  const { pod, container, restartCount, imageRef, environment, mounts, devices, resources, grant } = input;
  const { name, spec } = container;
  const expand = (text: string): string => expanded(text, environment);
  return {
    metadata: { name, attempt: restartCount },
    image: { image: imageRef, userSpecifiedImage: spec.image ?? '' },
    command: (spec.command ?? []).map(expand),
    args: (spec.args ?? []).map(expand),
    workingDir: spec.workingDir ?? '',
    envs: [...grant.environment, ...environment].map(([key, value]) => ({ key, value })),
    mounts: [...grant.mounts, ...mounts],
    devices: [...grant.devices, ...devices],
    ...(grant.cdiDevices.length === 0 ? {} : { CDIDevices: grant.cdiDevices.map((device) => ({ name: device })) }),
    labels: { ...podLabels(pod), [containerNameLabel]: name },
    annotations: { ...grant.annotations, ...containerAnnotations(pod, spec, restartCount) },
    logPath: containerLogPath(name, restartCount),
    stdin: spec.stdin === true,
    stdinOnce: spec.stdinOnce === true,
    tty: spec.tty === true,
    linux: {
      resources: {
        ...containerResources(spec, pod.spec, resources),
        ...(grant.cpusetCpus === '' ? {} : { cpusetCpus: grant.cpusetCpus }),
        ...(grant.cpusetMems === '' ? {} : { cpusetMems: grant.cpusetMems }),
      },
      securityContext: containerSecurity({ ...input, spec: pod.spec, container: spec, podText: podText(pod) }),
    },
  };
}

/** Below the log directory of the pod. */
export const containerLogPath = (name: string, restartCount: number): string => `${name}/${restartCount}.log`;

export const podText = ({ metadata: { name, namespace, uid } }: Pick<Pod, 'metadata'>): string =>
  `${name}_${namespace}(${uid})`;
