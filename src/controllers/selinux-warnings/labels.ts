/** The SELinux labels that a pod wants its volumes to have. Reads nothing and writes nothing. */
import type { Container, Pod, SELinuxOptions } from '../../api/gen/types/core-v1.ts';

export type MountLabel = { readonly label: string } | 'several';

/** By the name of each volume that a container mounts. */
export function mountLabels({ spec }: Pod): Map<string, MountLabel> {
  const labels = new Map<string, MountLabel>();
  const containers: readonly Container[] = [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...((spec.ephemeralContainers ?? []) as unknown as Container[]),
  ];
  for (const { securityContext, volumeMounts = [] } of containers) {
    const label = labelOf(securityContext?.seLinuxOptions ?? spec.securityContext?.seLinuxOptions);
    for (const { name = '' } of volumeMounts) {
      const known = labels.get(name);
      const isOther = known !== undefined && (known === 'several' || known.label !== label);
      labels.set(name, isOther ? 'several' : { label });
    }
  }
  return labels;
}

/** Empty without options. */
export function labelOf({ user = '', role = '', type = '', level = '' }: SELinuxOptions = {}): string {
  const label = [user, role, type, level].join(':');
  return label === ':::' ? '' : label;
}

/** @param isMountable the volume can be mounted with a label */
export function policyOf({ spec }: Pod, isMountable: boolean): string {
  return isMountable ? (spec.securityContext?.seLinuxChangePolicy ?? 'MountOption') : 'Recursive';
}
