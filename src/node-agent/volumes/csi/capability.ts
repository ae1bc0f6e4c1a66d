/** How a driver is to open a volume, and whether the agent sets its group. Pure. */
import type { CSIDriver } from '../../../api/gen/types/storage-v1.ts';
import type { Pod } from '../../../api/gen/types/core-v1.ts';
import { fsGroupOf } from '../volume-kind.ts';
import type { CsiSource } from './csi-source.ts';
import type { AccessMode, NodeAbility, VolumeCapability } from './gen/csi.ts';

/** What a driver says that it can do on nodes. */
export type Abilities = ReadonlySet<NodeAbility>;

const modes: Readonly<Record<string, readonly [plain: AccessMode, withSeveralWriters: AccessMode]>> = {
  ReadWriteOnce: ['SINGLE_NODE_WRITER', 'SINGLE_NODE_MULTI_WRITER'],
  ReadOnlyMany: ['MULTI_NODE_READER_ONLY', 'MULTI_NODE_READER_ONLY'],
  ReadWriteMany: ['MULTI_NODE_MULTI_WRITER', 'MULTI_NODE_MULTI_WRITER'],
  ReadWriteOncePod: ['SINGLE_NODE_WRITER', 'SINGLE_NODE_SINGLE_WRITER'],
};

export interface CapabilityOptions {
  readonly abilities: Abilities;
  /** The group that the driver sets by itself. */
  readonly group?: number | undefined;
  /** The SELinux context that the volume is mounted with. */
  readonly context?: string | undefined;
}

export function capabilityOf(source: CsiSource, { abilities, group, context }: CapabilityOptions): VolumeCapability {
  const [plain, several] = modes[source.accessModes[0] ?? 'ReadWriteOnce'] ?? modes['ReadWriteOnce']!;
  const accessMode = { mode: abilities.has('ABLE_SINGLE_NODE_MULTI_WRITER') ? several : plain };
  if (source.isBlock) return { block: {}, accessMode };
  const mountFlags = [...source.mountOptions, ...(context === undefined ? [] : [`context="${context}"`])];
  return {
    mount: { fsType: source.fsType, mountFlags, volumeMountGroup: group === undefined ? '' : String(group) },
    accessMode,
  };
}

export type GroupSetter = 'driver' | 'agent' | 'none';

/**
 * Who gives the volume to the group of the pod.
 * @see {@link https://kubernetes-csi.github.io/docs/support-fsgroup.html | CSI volume fsGroup support}
 */
export function groupSetter(
  pod: Pod,
  source: CsiSource,
  driver: CSIDriver | undefined,
  abilities: Abilities,
): GroupSetter {
  if (fsGroupOf(pod) === undefined || source.isBlock) return 'none';
  if (abilities.has('VOLUME_MOUNT_GROUP')) return 'driver';
  const policy = driver?.spec.fsGroupPolicy ?? 'ReadWriteOnceWithFSType';
  if (policy === 'None' || source.isReadOnly) return 'none';
  if (policy === 'File') return 'agent';
  if (source.fsType === '') return 'none';
  const isExclusive = source.accessModes.some((mode) => mode === 'ReadWriteOnce' || mode === 'ReadWriteOncePod');
  return source.isEphemeral || isExclusive ? 'agent' : 'none';
}

/**
 * The SELinux context for the mount of a volume that one pod alone uses: its files need not be labelled one by one.
 * @see {@link https://kep.k8s.io/1710 | KEP-1710}
 */
export function seLinuxContext(
  pod: Pod,
  source: CsiSource,
  driver: CSIDriver | undefined,
  isEnforced: boolean,
): string | undefined {
  if (!isEnforced || driver?.spec.seLinuxMount !== true) return undefined;
  if (source.accessModes.length !== 1 || source.accessModes[0] !== 'ReadWriteOncePod') return undefined;
  const ofContainers = (pod.spec.containers ?? []).map(({ securityContext }) => securityContext?.seLinuxOptions);
  const options = pod.spec.securityContext?.seLinuxOptions ?? ofContainers.find((own) => own !== undefined);
  if ((options?.level ?? '') === '') return undefined;
  const { user = 'system_u', role = 'object_r', type = 'container_file_t', level } = options!;
  return `${user || 'system_u'}:${role || 'object_r'}:${type || 'container_file_t'}:${level}`;
}

/** What speaks against a volume that lives with its pod. */
export function ephemeralProblem(driverName: string, driver: CSIDriver | undefined): string | undefined {
  if (driver === undefined)
    return `volume mode "Ephemeral" not supported by driver ${driverName} (no CSIDriver object)`;
  const lifecycles = driver.spec.volumeLifecycleModes ?? [];
  if (lifecycles.includes('Ephemeral')) return undefined;
  const only = lifecycles.map((mode) => `"${mode}"`).join(', ');
  return `volume mode "Ephemeral" not supported by driver ${driverName} (only supports [${only}])`;
}
